// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedule -> k3t -> llvm and nvvm -> PTX for one kernel.

#include "k3/Standalone/StandaloneKernel.h"

#include "k3/Conversion/TileToNVVM/Passes.h"
#include "k3/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace k3;

void k3::registerStandaloneDialects(DialectRegistry &registry) {
  registry.insert<tile::K3TDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, vector::VectorDialect>();
  registerGpuCodeDialects(registry);
}

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out);
  out << '\n';
  return text;
}

namespace {

/// How a kernel is made, and whether it multiplies by warpgroups.
struct Maker {
  llvm::StringRef name;
  bool needsWgmma;
  FailureOr<func::FuncOp> (*build)(ModuleOp, const StandaloneShape &);
};

const Maker makers[] = {
    {"kda-prefill", true,
     [](ModuleOp module, const StandaloneShape &shape) {
       return buildKdaPrefill(module, shape.kda);
     }},
    {"kda-prepare", true,
     [](ModuleOp module, const StandaloneShape &shape) {
       return buildKdaPrepare(module, shape.kda);
     }},
    {"kda-recur", true,
     [](ModuleOp module, const StandaloneShape &shape) {
       return buildKdaRecur(module, shape.kda);
     }},
    {"kda-decode", false,
     [](ModuleOp module, const StandaloneShape &shape) {
       return buildKdaDecode(module, shape.kda);
     }},
    {"matmul", true,
     [](ModuleOp module, const StandaloneShape &shape) {
       return buildMatmul(module, shape.matmul);
     }},
};

} // namespace

llvm::ArrayRef<llvm::StringRef> k3::standaloneKernels() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> all;
    for (const Maker &maker : makers)
      all.push_back(maker.name);
    return all;
  }();
  return names;
}

k3::Status k3::buildStandaloneKernel(MLIRContext &context, llvm::StringRef name,
                                     const StandaloneShape &shape,
                                     const GpuTarget &target,
                                     StandaloneKernel &kernel) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  const Maker *maker = llvm::find_if(
      makers, [&](const Maker &other) { return other.name == name; });
  assert(maker != std::end(makers) && "a name of standaloneKernels()");
  if (maker->needsWgmma && !target.hasWgmma)
    return k3::Status::error(Code::BadInput, 514,
                             name.str() +
                                 " needs warpgroup products (wanted sm_90a, "
                                 "got " +
                                 target.name.str() + ")");
  FailureOr<func::FuncOp> built = maker->build(*module, shape);
  if (failed(built))
    return k3::Status::error(Code::BadInput, 515,
                             "no kernel for this shape; diagnostics above say "
                             "why");
  kernel.entry = built->getName().str();
  kernel.tiles = print(*module);
  PassManager passes(&context);
  tile::addTileToLLVM(passes);
  if (failed(passes.run(*module)))
    return k3::Status::error(Code::Internal, 590,
                             "the k3t program cannot be lowered");
  Operation *lowered = module->lookupSymbol(kernel.entry);
  auto number = [&](llvm::StringRef attribute) {
    return lowered->getAttrOfType<IntegerAttr>(attribute).getInt();
  };
  kernel.threads = 32 * number("k3t.warps");
  kernel.sharedBytes = number("k3t.shared_bytes");
  kernel.llvmDialect = print(*module);
  return emitPtx(*module, target, /*wantText=*/true, kernel.code);
}
