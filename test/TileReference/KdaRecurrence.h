// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KDA token by token in fp64, inputs that a kernel can take, and a context with
// the dialects of a schedule.

#ifndef K3_TEST_TILEREFERENCE_KDARECURRENCE_H
#define K3_TEST_TILEREFERENCE_KDARECURRENCE_H

#include "k3/Dialect/Tile/IR/Tile.h"
#include "k3/Schedule/KdaKernels.h"
#include "k3/TileReference/TileInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

#include <random>

namespace k3::test {

/// Standard normal numbers, rounded to BF16 when they are activations.
class Numbers {
public:
  explicit Numbers(unsigned seed) : engine(seed) {}
  std::vector<float> exact(size_t count, float scale = 1, float shift = 0);
  std::vector<float> halves(size_t count, float scale = 1, float shift = 0);

private:
  std::mt19937 engine;
};

/// Inputs of T tokens and H heads of width D, as the kernels take them.
struct KdaInputs {
  KdaInputs(int64_t tokens, int64_t heads, int64_t dim, float shift,
            unsigned seed);
  int64_t tokens, heads, dim;
  std::vector<float> q, k, v, g, beta, aLog, dtBias;
};

/// What the recurrence makes of tokens [first, last) of one head.
struct KdaOutputs {
  std::vector<double> o;     ///< [tokens, D]
  std::vector<double> state; ///< [V, K]
};
KdaOutputs recurrence(const KdaInputs &in, int64_t head, int64_t first,
                      int64_t last, std::vector<double> state,
                      double lowerBound);

/// |got - want| / |want|.
double relativeError(const std::vector<double> &got,
                     const std::vector<double> &want);

/// A module in a context that knows every dialect of a schedule.
class Program {
public:
  Program();
  mlir::ModuleOp module() { return *own; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> own;
};

} // namespace k3::test

#endif // K3_TEST_TILEREFERENCE_KDARECURRENCE_H
