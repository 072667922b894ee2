// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread's instructions: a thin layer over the llvm and nvvm dialects. All
// PTX text of the compiler is behind it.

#ifndef K3_LIB_CONVERSION_TILETONVVM_NVEMIT_H
#define K3_LIB_CONVERSION_TILETONVVM_NVEMIT_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

namespace k3::tile {

using Values = llvm::SmallVector<mlir::Value>;

class NvEmit {
public:
  NvEmit(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  // Types and constants.
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }
  mlir::Value c32(int64_t value);
  mlir::Value c64(int64_t value);
  mlir::Value cf32(float value);

  // Integers.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value shl(mlir::Value x, int64_t bits);
  mlir::Value shr(mlir::Value x, int64_t bits);
  mlir::Value wide(mlir::Value x); ///< i32 -> i64, signed
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);

  // F32.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value fadd(mlir::Value x, mlir::Value y);
  mlir::Value fneg(mlir::Value x);
  /// MUFU instructions: a result that is right to about 22 bits, in one step.
  mlir::Value exp2(mlir::Value x);
  mlir::Value log2(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x);
  mlir::Value reciprocal(mlir::Value x);
  mlir::Value divide(mlir::Value x, mlir::Value y);
  /// Right to 11 bits only.
  mlir::Value tanh(mlir::Value x);

  // Pairs of BF16 in 32 bits, the first one in the lower half.
  mlir::Value pack(mlir::Value low, mlir::Value high);
  std::pair<mlir::Value, mlir::Value> unpack(mlir::Value pair);

  // Where a thread is.
  mlir::Value threadId();
  /// The same number, in a register of which LLVM knows nothing.
  mlir::Value opaque(mlir::Value x);
  mlir::Value opaqueZero();
  mlir::Value lane();
  mlir::Value warp(); ///< the same register for all lanes, so branches are too
  mlir::Value block();
  mlir::Value shuffleXor(mlir::Value x, int64_t mask);

  // Memory. Offsets are bytes.
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offset(mlir::Value pointer, int64_t bytes);
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment);
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment);
  /// 16 bytes from device to shared memory; zeros when `live` is false.
  void copyAsync(mlir::Value shared, mlir::Value global, mlir::Value live);
  void copyWait();
  /// Four 8 x 8 matrices of 16-bit elements, also transposed.
  void storeMatrix(mlir::Value pointer, mlir::ValueRange values);
  Values loadMatrixTransposed(mlir::Value pointer);
  void storeMatrixTransposed(mlir::Value pointer, mlir::ValueRange values);

  /// acc + a b for 16 x 8 elements, 8 deep, operands rounded to TF32.
  Values mmaTf32(mlir::ValueRange acc, mlir::ValueRange a, mlir::ValueRange b);

  // Tensor cores of Hopper. A descriptor names an operand in swizzled shared
  // memory.
  mlir::Value descriptor(mlir::Value pointer, int64_t leadingBytes);
  mlir::Value advance(mlir::Value descriptor, int64_t bytes);
  /// acc + a b (- with `negate`) for 64 rows, 16 deep. `a` is four registers or
  /// a descriptor. An empty `acc` of `count` registers starts from zero.
  Values wgmma(mlir::ValueRange acc, unsigned count, mlir::ValueRange a,
               mlir::Value b, bool transposeB, bool negate);
  Values wgmmaFence(mlir::ValueRange values);
  void wgmmaCommit();
  Values wgmmaWait(int64_t pending, mlir::ValueRange values);

  // Order.
  void barrier(mlir::Value id, int64_t threads);
  void syncWarp();
  void fenceShared();
  void initBarrier(mlir::Value pointer, int64_t arrivals);
  void waitBarrier(mlir::Value pointer, mlir::Value parity);
  void arriveBarrier(mlir::Value pointer);
  void arriveBarrierAfterCopies(mlir::Value pointer);
  void setMaxRegisters(int64_t count, bool increase);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  Values assembly(llvm::StringRef text, llvm::StringRef constraints,
                  mlir::ValueRange operands, llvm::ArrayRef<mlir::Type> results,
                  bool effects);
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type,
                        mlir::ValueRange operands);
  Values threaded(llvm::StringRef text, mlir::ValueRange values);
};

} // namespace k3::tile

#endif // K3_LIB_CONVERSION_TILETONVVM_NVEMIT_H
