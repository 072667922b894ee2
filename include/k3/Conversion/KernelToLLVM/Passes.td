// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that turn kernels into functions of the llvm dialect.

#ifndef K3_CONVERSION_KERNELTOLLVM_PASSES
#define K3_CONVERSION_KERNELTOLLVM_PASSES

include "mlir/Pass/PassBase.td"

class K3_TargetOption : Option<"target", "target", "std::string",
    "\"x86-64-v3\"", "the CPU level">;

def LowerKernelsPass : Pass<"k3-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "k3.kernel_func to functions of loops";
  let description = [{
    In: an outlined module. Holds after: every `k3.kernel_func` is a `func.func`
    of the same name with the calling convention of docs/ArtefactFormat.md, in
    the linalg, vector, scf, memref, arith and math dialects. Entry points,
    which are lists of launches, are gone.

    Numeric: arithmetic is fp32; values are rounded to their element type where
    the k3 op says so.
  }];
  let options = [K3_TargetOption<>];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::x86vector::X86VectorDialect"];
}

def VectorizeLinalgPass : Pass<"k3-vectorize-linalg", "::mlir::func::FuncOp"> {
  let summary = "linalg.generic on static memrefs to loops of vectors";
  let description = [{
    In: `linalg.generic` ops on memrefs of static iteration space, whose
    innermost dimension is parallel or the only reduction. Holds after: no
    linalg op is left.

    The innermost dimension is taken in vectors of the level's width, what is
    left over in shorter vectors of a power of two. Values that do not change
    along it are computed once, as scalars. A reduction keeps up to four
    accumulators, which are combined in one fixed order at the end.

    Numeric: a reduction is reassociated, in an order that depends on the
    dimension and the vector width alone.
  }];
  let options = [K3_TargetOption<>];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMathPass : Pass<"k3-expand-math", "::mlir::ModuleOp"> {
  let summary = "fp32 functions and bf16 conversions to basic arithmetic";
  let description = [{
    In: math and arith ops on fp32 and bf16 scalars and vectors. Holds after:
    no `math.exp`, `math.log`, `math.log1p`, `math.tanh` or `math.rsqrt` on
    fp32, and no conversion between bf16 and fp32 is left.

    Numeric: exp, log, log1p and tanh are within 4 ulp with the limits of the
    real functions; rsqrt is a division by a square root. Rounding to bf16 is
    to nearest even, denormals included, which vcvtneps2bf16 would flush.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // K3_CONVERSION_KERNELTOLLVM_PASSES
