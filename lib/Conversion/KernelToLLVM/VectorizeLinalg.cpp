// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linalg.generic on memrefs -> loops of vectors along the innermost dimension.

#include "k3/Conversion/KernelToLLVM/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace k3 {
#define GEN_PASS_DEF_VECTORIZELINALGPASS
#include "k3/Conversion/KernelToLLVM/Passes.h.inc"

namespace {

/// Accumulators of a reduction: enough to hide the latency of an addition.
constexpr int64_t accumulators = 4;

/// The code of one linalg.generic with one output.
class GenericLoops {
public:
  GenericLoops(linalg::GenericOp op, int64_t lanes)
      : op(op), body(op.getBody()), lanes(lanes), b(op), loc(op.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult check();
  void findUniform();
  void openOuterLoops(ArrayRef<int64_t> sizes);
  void emitUniform();
  void emitElements(int64_t size);
  void emitReduction(int64_t size);

  AffineMap mapOf(Value operandArgument);
  bool isUniform(Value value) { return uniform.contains(value); }
  SmallVector<Value> indicesOf(AffineMap map, Value innermost);
  Value vectorOf(Value value, int64_t width, const IRMapping &vectors);
  /// The body at `at .. at + width`: what the terminator yields. `total` is the
  /// value of the output's argument, for reductions.
  Value emitBody(Value at, int64_t width, Value total);
  Value combine(Value lhs, Value rhs);
  Value accumulateTail(Value total, int64_t from, int64_t end);
  Value sumOfLanes(Value vector);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  linalg::GenericOp op;
  Block *body;
  int64_t lanes;
  OpBuilder b;
  Location loc;
  llvm::DenseSet<Value> uniform; ///< body values that the lanes share
  IRMapping scalars;             ///< ... and their scalar copies
  SmallVector<Value> outer;      ///< indices of all dimensions but the last
  Operation *combiner = nullptr; ///< of a reduction
};

} // namespace

AffineMap GenericLoops::mapOf(Value argument) {
  unsigned number = cast<BlockArgument>(argument).getArgNumber();
  return op.getIndexingMapsArray()[number];
}

static bool readsDim(AffineMap map, unsigned dim) {
  return llvm::is_contained(map.getResults(),
                            getAffineDimExpr(dim, map.getContext()));
}

LogicalResult GenericLoops::check() {
  auto sizes = op.getStaticLoopRanges();
  unsigned loops = op.getNumLoops();
  auto kinds = op.getIteratorTypesArray();
  bool outerParallel =
      llvm::all_of(ArrayRef(kinds).drop_back(loops ? 1 : 0), [](auto kind) {
        return kind == utils::IteratorType::parallel;
      });
  if (loops == 0 || !outerParallel || op.getNumDpsInits() != 1 ||
      !op.hasPureBufferSemantics() ||
      llvm::any_of(sizes, ShapedType::isDynamic))
    return op.emitOpError("is not a static nest with one output");
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (!map.isProjectedPermutation())
      return op.emitOpError("has an index that is not a dimension");
    for (auto [at, result] : llvm::enumerate(map.getResults()))
      if (at + 1 < map.getNumResults() &&
          result == getAffineDimExpr(loops - 1, map.getContext()))
        return op.emitOpError("has an operand that is not contiguous along "
                              "the innermost dimension");
  }
  if (kinds.back() == utils::IteratorType::parallel)
    return success();
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 ||
      !isa<arith::AddFOp, arith::MaximumFOp>(combiners.front()))
    return op.emitOpError("is not a sum or a maximum");
  combiner = combiners.front();
  return success();
}

/// A value is uniform when nothing it is computed from varies along the
/// innermost dimension.
void GenericLoops::findUniform() {
  unsigned last = op.getNumLoops() - 1;
  for (BlockArgument argument : op.getRegionInputArgs())
    if (!readsDim(mapOf(argument), last))
      uniform.insert(argument);
  for (Operation &inner : body->without_terminator()) {
    bool all = llvm::all_of(inner.getOperands(), [&](Value operand) {
      return operand.getParentBlock() != body || isUniform(operand);
    });
    if (all)
      uniform.insert(inner.result_begin(), inner.result_end());
  }
}

void GenericLoops::openOuterLoops(ArrayRef<int64_t> sizes) {
  for (int64_t size : sizes.drop_back()) {
    if (size == 1) {
      outer.push_back(index(0));
      continue;
    }
    auto loop = scf::ForOp::create(b, loc, index(0), index(size), index(1));
    b.setInsertionPointToStart(loop.getBody());
    outer.push_back(loop.getInductionVar());
  }
}

SmallVector<Value> GenericLoops::indicesOf(AffineMap map, Value innermost) {
  SmallVector<Value> indices;
  for (AffineExpr result : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    indices.push_back(dim < outer.size() ? outer[dim] : innermost);
  }
  return indices;
}

void GenericLoops::emitUniform() {
  for (auto [argument, operand] :
       llvm::zip_equal(op.getRegionInputArgs(), op.getDpsInputs()))
    if (isUniform(argument) && !argument.use_empty())
      scalars.map(argument,
                  memref::LoadOp::create(b, loc, operand,
                                         indicesOf(mapOf(argument), Value())));
  for (Operation &inner : body->without_terminator())
    if (isUniform(inner.getResult(0)))
      b.clone(inner, scalars);
}

Value GenericLoops::vectorOf(Value value, int64_t width,
                             const IRMapping &vectors) {
  if (Value known = vectors.lookupOrNull(value))
    return known;
  Value scalar = scalars.lookupOrDefault(value);
  auto type = VectorType::get({width}, scalar.getType());
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

Value GenericLoops::emitBody(Value at, int64_t width, Value total) {
  IRMapping vectors;
  if (total)
    vectors.map(op.getRegionOutputArgs()[0], total);
  for (auto [argument, operand] :
       llvm::zip_equal(op.getRegionInputArgs(), op.getDpsInputs())) {
    if (isUniform(argument))
      continue;
    auto type = VectorType::get({width}, argument.getType());
    vectors.map(argument,
                vector::LoadOp::create(b, loc, type, operand,
                                       indicesOf(mapOf(argument), at)));
  }
  for (Operation &inner : body->without_terminator()) {
    if (isUniform(inner.getResult(0)))
      continue;
    for (Value operand : inner.getOperands())
      if (!vectors.contains(operand))
        vectors.map(operand, vectorOf(operand, width, vectors));
    Operation *copy = b.clone(inner, vectors);
    for (OpResult result : copy->getResults())
      result.setType(VectorType::get({width}, result.getType()));
  }
  return vectorOf(body->getTerminator()->getOperand(0), width, vectors);
}

void GenericLoops::emitElements(int64_t size) {
  Value out = op.getDpsInits()[0];
  AffineMap map = op.getIndexingMapsArray().back();
  auto store = [&](Value at, int64_t width) {
    Value result = emitBody(at, width, Value());
    vector::StoreOp::create(b, loc, result, out, indicesOf(map, at));
  };
  int64_t whole = size / lanes * lanes;
  if (whole > lanes) {
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(whole), index(lanes));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    store(loop.getInductionVar(), lanes);
  } else if (whole == lanes) {
    store(index(0), lanes);
  }
  for (int64_t width = lanes / 2; width > 0; width /= 2) {
    if (size - whole < width)
      continue;
    store(index(whole), width);
    whole += width;
  }
}

Value GenericLoops::combine(Value lhs, Value rhs) {
  IRMapping operands;
  operands.map(combiner->getOperand(0), lhs);
  operands.map(combiner->getOperand(1), rhs);
  Operation *copy = b.clone(*combiner, operands);
  copy->getResult(0).setType(lhs.getType());
  return copy->getResult(0);
}

/// What is left over goes into the first lanes.
Value GenericLoops::accumulateTail(Value total, int64_t from, int64_t end) {
  for (int64_t width = lanes / 2; width > 0; width /= 2) {
    if (end - from < width)
      continue;
    const int64_t zero[] = {0}, one[] = {1};
    Value part = vector::ExtractStridedSliceOp::create(
        b, loc, total, zero, ArrayRef<int64_t>{width}, one);
    part = emitBody(index(from), width, part);
    total =
        vector::InsertStridedSliceOp::create(b, loc, part, total, zero, one);
    from += width;
  }
  return total;
}

/// Lane i with lane i + lanes / 2 first.
Value GenericLoops::sumOfLanes(Value vector) {
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half));
    auto high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    Value first = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value second = vector::ShuffleOp::create(b, loc, vector, vector, high);
    vector = combine(first, second);
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}

void GenericLoops::emitReduction(int64_t size) {
  auto type = VectorType::get({lanes}, b.getF32Type());
  TypedAttr neutral = *arith::getNeutralElement(combiner);
  Value start = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, Attribute(neutral)));
  int64_t step = lanes * accumulators;
  SmallVector<Value> totals(size >= step ? accumulators : 1, start);
  int64_t done = size / step * step;
  if (done > 0) {
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(done), index(step), totals);
    totals.assign(loop.result_begin(), loop.result_end());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next;
    for (auto [number, total] : llvm::enumerate(loop.getRegionIterArgs())) {
      Value at = arith::AddIOp::create(b, loc, loop.getInductionVar(),
                                       index(number * lanes));
      next.push_back(emitBody(at, lanes, total));
    }
    scf::YieldOp::create(b, loc, next);
  }
  for (unsigned number = 0; size - done >= lanes; done += lanes, ++number) {
    Value &total = totals[number % totals.size()];
    total = emitBody(index(done), lanes, total);
  }
  totals[0] = accumulateTail(totals[0], done, size);
  for (size_t half = totals.size() / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i)
      totals[i] = combine(totals[i], totals[i + half]);
  Value out = op.getDpsInits()[0];
  auto indices = indicesOf(op.getIndexingMapsArray().back(), Value());
  Value old = memref::LoadOp::create(b, loc, out, indices);
  Value result = combine(old, sumOfLanes(totals[0]));
  memref::StoreOp::create(b, loc, result, out, indices);
}

LogicalResult GenericLoops::run() {
  if (failed(check()))
    return failure();
  findUniform();
  auto sizes = op.getStaticLoopRanges();
  openOuterLoops(sizes);
  emitUniform();
  if (combiner)
    emitReduction(sizes.back());
  else
    emitElements(sizes.back());
  op.erase();
  return success();
}

namespace {
struct VectorizeLinalgPass
    : impl::VectorizeLinalgPassBase<VectorizeLinalgPass> {
  using Base::Base;

  void runOnOperation() override {
    const CpuTarget *cpu = findCpuTarget(target);
    if (!cpu) {
      getOperation().emitError("unknown target '") << target << "'";
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> nests;
    getOperation().walk([&](linalg::GenericOp op) { nests.push_back(op); });
    for (linalg::GenericOp op : nests)
      if (failed(GenericLoops(op, cpu->vectorWidth).run()))
        return signalPassFailure();
  }
};
} // namespace

} // namespace k3
