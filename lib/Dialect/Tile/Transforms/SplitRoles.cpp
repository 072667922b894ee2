// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From roles that follow each other to roles that run side by side. A stage of
// the buffers passes from the first role to the last one and back; who holds it
// may use every buffer of that stage.

#include "k3/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

namespace k3::tile {
#define GEN_PASS_DEF_SPLITROLES
#include "k3/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace k3::tile

using namespace mlir;
using namespace k3::tile;

namespace {

struct Role {
  StringRef name;
  int64_t warps = 0, registers = 0;
  bool copies = false; // fills buffers by k3t.copy_async
};

/// What is known of a kernel before it is taken apart.
struct Plan {
  scf::ForOp loop;
  SmallVector<Role> roles; // those with warps of their own, in loop order
  Role feeder;             // done by the last of them; no name if there is none
  int64_t lag = 0;         // steps that the feeder stays behind
  int64_t stages = 1;
  Value fed;               // the feeder to the first role
  SmallVector<Value> full; // full[i]: role i to role i + 1
  Value empty;             // the last role to the first, without a feeder

  int find(StringRef name) const {
    for (auto [index, role] : llvm::enumerate(roles))
      if (role.name == name)
        return index;
    return -1;
  }
  bool hasFeeder() const { return !feeder.name.empty(); }
  bool isPipeline() const { return roles.size() + hasFeeder() > 1; }
};

LogicalResult findLoop(func::FuncOp kernel, Plan &plan) {
  for (Operation &op : kernel.getBody().front()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || loop.getBody()->getOps<RoleOp>().empty())
      continue;
    if (plan.loop)
      return loop.emitOpError("is a second loop with roles");
    plan.loop = loop;
  }
  if (!plan.loop)
    return success();
  APInt lower, step;
  if (!matchPattern(plan.loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(plan.loop.getStep(), m_ConstantInt(&step)) || lower != 0 ||
      step != 1)
    return plan.loop.emitOpError("with roles must count from 0 by 1");
  return success();
}

LogicalResult findRoles(func::FuncOp kernel, Plan &plan) {
  StringRef partner;
  for (RoleOp op : plan.loop.getBody()->getOps<RoleOp>()) {
    if (plan.find(op.getName()) >= 0 || op.getName() == plan.feeder.name)
      return op.emitOpError("comes twice in the loop");
    Role role{op.getName(), int64_t(op.getWarps()), int64_t(op.getRegisters())};
    op.walk([&](CopyAsyncOp) { role.copies = true; });
    if (!op.getWith()) {
      plan.roles.push_back(role);
      continue;
    }
    if (plan.hasFeeder() || !plan.roles.empty())
      return op.emitOpError("is done with another role, so it must be the "
                            "first one of the loop");
    plan.feeder = role;
    plan.lag = op.getLag();
    partner = *op.getWith();
  }
  if (plan.hasFeeder() &&
      (plan.roles.empty() || plan.roles.back().name != partner ||
       plan.roles.back().warps != plan.feeder.warps))
    return plan.loop.emitOpError()
           << "must end with role \"" << partner << "\" of as many warps as \""
           << plan.feeder.name << '"';
  WalkResult result = kernel.walk([&](RoleOp op) {
    if (op.getName() == plan.feeder.name)
      return op->getParentOp() == plan.loop
                 ? WalkResult::advance()
                 : (op.emitOpError("is done with another role, so it takes "
                                   "part in the loop only"),
                    WalkResult::interrupt());
    int index = plan.find(op.getName());
    if (index < 0)
      return op.emitOpError("takes no part in the loop"),
             WalkResult::interrupt();
    const Role &role = plan.roles[index];
    if (role.warps != int64_t(op.getWarps()) ||
        role.registers != int64_t(op.getRegisters()))
      return op.emitOpError("has other warps or registers than in the loop"),
             WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The names of the roles that use a buffer or one of its stages.
void collectUsers(Value buffer, SmallVectorImpl<StringRef> &names) {
  for (Operation *user : buffer.getUsers()) {
    if (auto stage = dyn_cast<StageOp>(user))
      collectUsers(stage.getResult(), names);
    auto role = user->getParentOfType<RoleOp>();
    if (role && !llvm::is_contained(names, role.getName()))
      names.push_back(role.getName());
  }
}

LogicalResult checkBuffers(func::FuncOp kernel, Plan &plan) {
  int64_t stages = 0;
  for (AllocSharedOp op : kernel.getBody().front().getOps<AllocSharedOp>()) {
    SmallVector<StringRef> names;
    collectUsers(op.getResult(), names);
    int64_t own = op.getType().getStages();
    if (names.size() < 2)
      continue;
    if (own == 1)
      return op.emitOpError("without stages is used by more than one role");
    if (stages != 0 && stages != own)
      return op.emitOpError()
             << "has " << own << " stages, others have " << stages;
    stages = own;
  }
  plan.stages = std::max<int64_t>(stages, 1);
  if (plan.lag >= plan.stages)
    return plan.loop.emitOpError() << "has a lag of " << plan.lag << " with "
                                   << plan.stages << " stages";
  return success();
}

/// Clones into one role what it takes part in.
class RoleCloner {
public:
  RoleCloner(OpBuilder &builder, Plan &plan, unsigned index)
      : builder(builder), plan(plan), index(index),
        name(plan.roles[index].name) {}

  LogicalResult cloneAll(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (failed(clone(*op)))
        return failure();
    return success();
  }

private:
  bool feeds() const {
    return plan.hasFeeder() && index + 1 == plan.roles.size();
  }

  LogicalResult clone(Operation &op) {
    if (auto role = dyn_cast<RoleOp>(op))
      return role.getName() == name ? inlineRole(role) : success();
    if (plan.loop && &op == plan.loop.getOperation())
      return cloneLoop();
    if (!isMemoryEffectFree(&op) && !isa<LoadScalarOp>(op))
      return op.emitOpError("outside of roles must have no effect");
    if (failed(checkOperands(op)))
      return failure();
    builder.clone(op, mapping);
    return success();
  }

  /// Every value must come from this role or from outside of roles.
  LogicalResult checkOperands(Operation &op) {
    WalkResult result = op.walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (auto role = value.getDefiningOp<RoleOp>();
            role && role.getName() != name)
          return inner->emitOpError()
                     << "uses a value of role \"" << role.getName() << '"',
                 WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult inlineRole(RoleOp role) {
    if (failed(checkOperands(*role)))
      return failure();
    Block &body = role.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, value] :
         llvm::zip(role.getResults(), body.getTerminator()->getOperands()))
      mapping.map(result, mapping.lookupOrDefault(value));
    return success();
  }

  LogicalResult cloneLoopBody() {
    for (Operation &op : plan.loop.getBody()->without_terminator())
      if (failed(clone(op)))
        return failure();
    return success();
  }

  /// Whether the loop carries this value for the role: it begins as a value of
  /// that role, or of none.
  bool carries(unsigned argument) const {
    auto role = plan.loop.getInitArgs()[argument].getDefiningOp<RoleOp>();
    return !role || role.getName() == name;
  }

  LogicalResult cloneLoop() {
    scf::ForOp old = plan.loop;
    Location loc = old.getLoc();
    Value count = mapping.lookupOrDefault(old.getUpperBound());
    if (feeds())
      for (int64_t step = 0; step < plan.stages - plan.lag; ++step)
        if (failed(feed(loc, constant(loc, step), count)))
          return failure();
    SmallVector<Value> inits;
    for (auto [i, init] : llvm::enumerate(old.getInitArgs()))
      if (carries(i))
        inits.push_back(mapping.lookupOrDefault(init));
    auto loop = scf::ForOp::create(
        builder, loc, mapping.lookupOrDefault(old.getLowerBound()), count,
        mapping.lookupOrDefault(old.getStep()), inits);
    Value step = loop.getInductionVar();
    mapping.map(old.getInductionVar(), step);
    unsigned next = 0;
    for (unsigned i = 0; i < old.getInitArgs().size(); ++i) {
      if (!carries(i))
        continue;
      mapping.map(old.getRegionIterArgs()[i], loop.getRegionIterArgs()[next]);
      mapping.map(old.getResult(i), loop.getResult(next++));
    }
    OpBuilder::InsertionGuard guard(builder);
    if (inits.empty())
      loop.getBody()->getTerminator()->erase();
    builder.setInsertionPointToEnd(loop.getBody());
    enterStage(loc, step);
    if (failed(cloneLoopBody()))
      return failure();
    SmallVector<Value> yields;
    for (auto [i, value] :
         llvm::enumerate(old.getBody()->getTerminator()->getOperands()))
      if (carries(i))
        yields.push_back(mapping.lookupOrDefault(value));
    if (failed(leaveStage(loc, step, count)))
      return failure();
    scf::YieldOp::create(builder, loc, yields);
    return success();
  }

  Value constant(Location loc, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }

  Value stageOf(Location loc, Value step) {
    return arith::RemUIOp::create(builder, loc, step,
                                  constant(loc, plan.stages));
  }

  /// The first role waits for the last one, which lets the first round of
  /// stages through: a fresh mbarrier counts as past its odd phase.
  void enterStage(Location loc, Value step) {
    if (!plan.isPipeline())
      return;
    Value one = constant(loc, 1);
    Value round =
        arith::DivUIOp::create(builder, loc, step, constant(loc, plan.stages));
    Value parity = arith::AndIOp::create(builder, loc, round, one);
    Value barrier = index > 0          ? plan.full[index - 1]
                    : plan.hasFeeder() ? plan.fed
                                       : plan.empty;
    if (barrier == plan.empty)
      parity = arith::XOrIOp::create(builder, loc, parity, one);
    WaitOp::create(builder, loc, barrier, stageOf(loc, step), parity);
  }

  LogicalResult leaveStage(Location loc, Value step, Value count) {
    if (feeds()) {
      Value next = arith::AddIOp::create(builder, loc, step,
                                         constant(loc, plan.stages - plan.lag));
      BarrierOp::create(builder, loc, /*warpgroup=*/false);
      return feed(loc, next, count);
    }
    if (!plan.isPipeline())
      return success();
    bool last = index + 1 == plan.roles.size();
    arrive(loc, last ? plan.empty : plan.full[index], step,
           plan.roles[index].copies, /*fence=*/!last);
    return success();
  }

  void arrive(Location loc, Value barrier, Value step, bool copies,
              bool fence) {
    if (fence && !copies)
      FenceSharedOp::create(builder, loc);
    ArriveOp::create(builder, loc, barrier, stageOf(loc, step), copies);
  }

  /// The feeder's part of one step, if the loop comes to it.
  LogicalResult feed(Location loc, Value step, Value count) {
    Value live = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       step, count);
    auto branch = scf::IfOp::create(builder, loc, live, /*else=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    IRMapping outer = mapping;
    mapping.map(plan.loop.getInductionVar(), step);
    name = plan.feeder.name;
    LogicalResult result = cloneLoopBody();
    name = plan.roles[index].name;
    mapping = outer;
    arrive(loc, plan.fed, step, plan.feeder.copies, /*fence=*/true);
    return result;
  }

  OpBuilder &builder;
  Plan &plan;
  unsigned index;
  StringRef name; ///< the role whose part is being cloned
  IRMapping mapping;
};

class SplitRolesPass : public k3::tile::impl::SplitRolesBase<SplitRolesPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    Plan plan;
    if (failed(findLoop(kernel, plan)))
      return signalPassFailure();
    if (!plan.loop)
      return;
    if (failed(findRoles(kernel, plan)) || failed(checkBuffers(kernel, plan)) ||
        failed(split(kernel, plan)))
      signalPassFailure();
  }

  void allocBarriers(OpBuilder &builder, Location loc, Plan &plan) {
    auto type = BarrierType::get(builder.getContext(), plan.stages);
    unsigned count = plan.roles.size();
    for (unsigned i = 0; i + 1 < count; ++i)
      plan.full.push_back(
          AllocBarrierOp::create(builder, loc, type, plan.roles[i].warps * 32));
    int64_t last = plan.roles.back().warps * 32;
    if (plan.hasFeeder())
      plan.fed = AllocBarrierOp::create(builder, loc, type, last);
    else if (count > 1)
      plan.empty = AllocBarrierOp::create(builder, loc, type, last);
    BarrierOp::create(builder, loc, /*warpgroup=*/false);
  }

  /// Warps are numbered so that the roles with most warps come first: a
  /// warpgroup must begin at a multiple of four.
  LogicalResult split(func::FuncOp kernel, Plan &plan) {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> old;
    for (Operation &op : body.without_terminator())
      if (!isa<AllocSharedOp>(op))
        old.push_back(&op);
    OpBuilder builder(body.getTerminator());
    allocBarriers(builder, kernel.getLoc(), plan);

    SmallVector<unsigned> order(plan.roles.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(-plan.roles[a].warps, a) <
             std::pair(-plan.roles[b].warps, b);
    });
    int64_t first = 0;
    for (unsigned index : order) {
      const Role &role = plan.roles[index];
      auto warps = OnWarpsOp::create(builder, kernel.getLoc(), first,
                                     role.warps, role.registers);
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&warps.getBody());
      RoleCloner cloner(builder, plan, index);
      if (failed(cloner.cloneAll(old)))
        return failure();
      YieldOp::create(builder, kernel.getLoc());
      first += role.warps;
    }
    for (Operation *op : llvm::reverse(old))
      op->erase();
    kernel->setAttr("k3t.warps", builder.getI64IntegerAttr(first));
    return success();
  }
};

} // namespace
