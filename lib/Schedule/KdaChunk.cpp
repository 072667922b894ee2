// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For which shapes there are chunks.

#include "KdaChunk.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace k3;

LogicalResult k3::checkKdaChunks(ModuleOp module, const KdaShape &shape) {
  if (shape.heads < 1)
    return module.emitError("a KDA kernel has at least one head");
  if (shape.keyDim != KdaChunk::dim || shape.valueDim != KdaChunk::dim)
    return module.emitError() << "the tile kernel of KDA prefill is for heads "
                                 "of 128 x 128, got "
                              << shape.keyDim << " x " << shape.valueDim;
  if (!(shape.lowerBound < 0))
    return module.emitError(
        "KDA prefill needs a bounded gate: without a bound on its logarithm, "
        "the decay of 16 tokens may leave the range of F32");
  double exponent = -shape.lowerBound * M_LOG2E * KdaChunk::chunk / 4;
  if (exponent >= 126)
    return module.emitError(
        llvm::formatv("decays of {0} tokens reach 2^-{1:F0}, and F32 ends at "
                      "2^-126: wanted a "
                      "lower bound from -5.45 to 0, got {2:F2}",
                      KdaChunk::chunk / 4, exponent, shape.lowerBound));
  return success();
}
