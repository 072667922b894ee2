// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decode schedule against fp64: convolution, windows, recurrence, norm and
// gate, for both gate maps and several widths.

#include "KdaRecurrence.h"

#include "lib/TileReference/TileValue.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::test;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One token of three sequences in a pool of four slots.
struct Step {
  Step(int64_t dim, bool resumed)
      : dim(dim), resumed(resumed), in(3, heads, dim, 0, 5) {
    Numbers numbers(6);
    int64_t width = heads * dim;
    gate = numbers.halves(3 * width);
    norm = numbers.exact(dim, 0.1f, 1);
    for (int64_t i = 0; i < 3; ++i) {
      taps.push_back(numbers.exact(width * 4, 0.5f));
      windows.push_back(numbers.halves(4 * 3 * width));
    }
    state = numbers.exact(4 * heads * dim * dim, 0.3f);
    o.assign(3 * width, std::numeric_limits<float>::quiet_NaN());
    lens.assign(3, resumed ? 4 : 0);
  }

  /// The convolved vectors, rounded, and what the windows must hold.
  std::vector<float> convolve(int64_t which, const std::vector<float> &token,
                              std::vector<float> &window) const {
    int64_t width = heads * dim;
    std::vector<float> out(3 * width);
    for (int64_t n = 0; n < 3; ++n)
      for (int64_t c = 0; c < width; ++c) {
        float x[4] = {0, 0, 0, token[n * width + c]};
        for (int64_t t = 0; t < 3; ++t)
          if (resumed && slots[n] >= 0)
            x[t] = windows[which][(slots[n] * 3 + t) * width + c];
        double sum = 0;
        for (int64_t t = 0; t < 4; ++t)
          sum += double(x[t]) * taps[which][c * 4 + t];
        out[n * width + c] = roundToBf16(float(sum * sigmoid(sum)));
        for (int64_t t = 0; t < 3; ++t)
          if (slots[n] >= 0)
            window[(slots[n] * 3 + t) * width + c] = x[t + 1];
      }
    return out;
  }

  static constexpr int64_t heads = 2;
  int64_t dim;
  bool resumed;
  KdaInputs in;
  std::vector<float> gate, norm, state, o;
  std::vector<std::vector<float>> taps, windows;
  std::vector<int32_t> slots = {2, -1, 0}, lens;
};

void run(Step &step, FailureOr<func::FuncOp> kernel) {
  ASSERT_TRUE(succeeded(kernel));
  KdaInputs &in = step.in;
  SmallVector<TileArgument> arguments;
  for (std::vector<float> *memory :
       {&in.q, &in.k, &in.v, &in.g, &in.beta, &step.gate, &step.taps[0],
        &step.taps[1], &step.taps[2], &in.aLog, &in.dtBias, &step.norm,
        &step.windows[0], &step.windows[1], &step.windows[2], &step.state,
        &step.o})
    arguments.push_back({memory, nullptr});
  arguments.push_back({nullptr, &step.slots});
  arguments.push_back({nullptr, &step.lens});
  for (int64_t w = 0; w < 3 * Step::heads; ++w)
    ASSERT_TRUE(succeeded(interpretTiles(*kernel, arguments, w)));
}

void check(Step step, double lowerBound) {
  Program program;
  KdaShape shape;
  shape.heads = Step::heads;
  shape.keyDim = shape.valueDim = step.dim;
  shape.lowerBound = lowerBound;
  Step before = step;
  auto kernel = buildKdaDecode(program.module(), shape);
  ASSERT_TRUE(succeeded(verify(program.module())));
  run(step, kernel);
  KdaInputs convolved = before.in;
  std::vector<std::vector<float>> windows = before.windows;
  convolved.q = before.convolve(0, before.in.q, windows[0]);
  convolved.k = before.convolve(1, before.in.k, windows[1]);
  convolved.v = before.convolve(2, before.in.v, windows[2]);
  EXPECT_EQ(step.windows, windows);

  int64_t dim = step.dim, size = dim * dim;
  for (int64_t n = 0; n < 3; ++n)
    for (int64_t head = 0; head < Step::heads; ++head) {
      int64_t at = (n * Step::heads + head) * dim;
      if (step.slots[n] < 0) {
        for (int64_t i = 0; i < dim; ++i)
          EXPECT_EQ(step.o[at + i], 0);
        continue;
      }
      int64_t slot = (step.slots[n] * Step::heads + head) * size;
      std::vector<double> start(size, 0);
      if (step.resumed)
        start.assign(before.state.begin() + slot,
                     before.state.begin() + slot + size);
      KdaOutputs want =
          recurrence(convolved, head, n, n + 1, start, lowerBound);
      double squares = 0;
      for (double value : want.o)
        squares += value * value / dim;
      std::vector<double> got;
      for (int64_t i = 0; i < dim; ++i) {
        want.o[i] *= step.norm[i] / std::sqrt(squares + 1e-5) *
                     sigmoid(step.gate[at + i]);
        got.push_back(step.o[at + i]);
      }
      EXPECT_LE(relativeError(got, want.o), 4e-3);
      auto after = step.state.begin() + slot;
      EXPECT_LE(relativeError({after, after + size}, want.state), 1e-5);
    }
}

TEST(KdaDecode, ResumedAndFresh) {
  check(Step(128, true), -5);
  check(Step(128, false), -5);
}

TEST(KdaDecode, OtherWidths) {
  check(Step(64, true), -5);
  check(Step(256, true), -5);
}

} // namespace
