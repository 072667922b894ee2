// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowering of an op sees of the kernel function around it: its
// workgroup number, the buffers of its values and thread-private scratch.

#ifndef K3_CONVERSION_KERNELTOLLVM_KERNELFRAME_H
#define K3_CONVERSION_KERNELTOLLVM_KERNELFRAME_H

#include "k3/Dialect/K3/IR/K3.h"
#include "k3/Target/X86/CpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace k3 {

/// How many workgroups a kernel has: ceil(dimension / tile) * multiplier. It
/// must not depend on the CPU level, since all levels share one command list.
struct KernelGrid {
  /// The value whose dimension is counted; null: one tile.
  mlir::Value value;
  unsigned dim = 0;
  int64_t tile = 1;
  int64_t multiplier = 1;
};

/// A lowered kernel, as the command list needs it. Buffers are the arguments
/// of the kernel, then its results.
struct LoweredKernel {
  std::string symbol;
  /// (buffer, dimension) of every size that the code reads, in the order of
  /// its `dims` argument.
  llvm::SmallVector<std::pair<unsigned, unsigned>> dims;
  /// Index into `dims` of the counted dimension; -1: one tile.
  int gridDim = -1;
  int64_t tile = 1;
  int64_t multiplier = 1;
  uint64_t scratchBytes = 0;
};

/// Emits `void name(i64 workgroup, ptr buffers, ptr dims, ptr scratch)` for
/// one k3.kernel_func (docs/ArtefactFormat.md).
class KernelFrame {
public:
  /// Opens an empty function named as the kernel at the end of `module`, with
  /// the insertion point of `builder()` inside it.
  KernelFrame(KernelFuncOp kernel, mlir::ModuleOp module,
              const CpuTarget &target);

  mlir::OpBuilder &builder() { return opBuilder; }
  mlir::Location loc() const { return location; }
  const CpuTarget &target() const { return cpu; }
  mlir::Block &body() { return kernel.getBody().front(); }

  /// The workgroup number, an index.
  mlir::Value workgroup() const { return workgroupIndex; }

  /// The memory of a kernel argument, of a yielded value, or of an inner value
  /// given with `setBuffer`; an identity-layout (or, for `setBuffer`, strided)
  /// memref of the tensor's shape. A reshape's buffer is a view of its
  /// operand's. Null for an inner value without a buffer.
  mlir::Value bufferOf(mlir::Value tensor);
  void setBuffer(mlir::Value tensor, mlir::Value memref);

  /// The memory of an argument or yielded value under another identity-layout
  /// type (a packed weight, pairs of bf16 as i32). Dynamic dimensions, leading
  /// ones only, are the value's.
  mlir::Value bufferAs(mlir::Value tensor, mlir::MemRefType type);

  /// True when the value, or a reshape of it, is yielded: its memory is an
  /// output buffer.
  bool isYielded(mlir::Value tensor) const;

  /// The output buffer of result `index`. It is what `bufferOf` gives for the
  /// yielded value, unless that is an argument or is yielded more than once.
  mlir::Value resultBuffer(unsigned index);

  /// A dimension of a value: a constant, or a size read from `dims`. Inner
  /// values must have had their leading dimension given by `setSize`, or be
  /// row-wise results, which inherit it.
  mlir::Value sizeOf(mlir::Value tensor, unsigned dim);

  /// Thread-private memory of a static type, 64-byte aligned.
  mlir::Value scratch(mlir::MemRefType type);

  mlir::Value constant(int64_t value); ///< an index

  /// Ends the function and reports what the command list needs.
  LoweredKernel finish(const KernelGrid &grid);

private:
  /// The buffer that holds a value, through reshapes; none for inner values.
  std::optional<unsigned> bufferNumber(mlir::Value tensor);
  /// Scratch memory under another dense static type.
  mlir::Value viewAs(mlir::Value memref, mlir::MemRefType type);
  mlir::Value memrefOfBuffer(unsigned buffer, mlir::Value tensor,
                             mlir::MemRefType type);
  mlir::Value pointerTo(unsigned buffer);
  mlir::Value memrefAt(mlir::Value pointer, mlir::MemRefType type,
                       llvm::ArrayRef<mlir::Value> dynamicSizes);
  unsigned dimIndex(unsigned buffer, unsigned dim);

  KernelFuncOp kernel;
  const CpuTarget &cpu;
  mlir::Location location;
  mlir::OpBuilder opBuilder;
  mlir::func::FuncOp function;
  mlir::Value workgroupIndex, buffers, dims, scratchBase;
  llvm::DenseMap<mlir::Value, mlir::Value> memory;
  llvm::SmallVector<std::pair<unsigned, unsigned>> dimList;
  llvm::DenseMap<unsigned, mlir::Value> dimValues;
  uint64_t scratchBytes = 0;
};

/// Lowers the body of a kernel: `lowerRowKernel` for bodies of row-wise ops,
/// one function an anchor otherwise. Each emits the work of one workgroup and
/// returns the grid; failures are reported as diagnostics.
mlir::FailureOr<KernelGrid> lowerRowKernel(KernelFrame &frame);
mlir::FailureOr<KernelGrid> lowerAnchorKernel(KernelFrame &frame);

/// Lowers every k3.kernel_func of `module` for one CPU level. The result holds
/// one func.func a kernel in the linalg, vector, scf, memref, arith and math
/// dialects.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lowerKernels(mlir::ModuleOp module, const CpuTarget &target,
             llvm::SmallVectorImpl<LoweredKernel> &kernels);

/// linalg, vector, ... -> the llvm dialect, ready for translation.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module, const CpuTarget &target);

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_KERNELFRAME_H
