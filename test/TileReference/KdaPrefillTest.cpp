// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prefill schedules against the token recurrence in fp64: what the kernels
// compute and round, packed sequences, slots, ragged and empty chunks.

#include "KdaRecurrence.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace k3;
using namespace k3::test;

namespace {

constexpr int64_t dim = 128;

/// A packed batch in a pool of slots.
struct Batch {
  Batch(std::vector<int64_t> lengths, std::vector<int32_t> slots, bool resumed,
        int64_t heads, float shift)
      : lengths(lengths), slots(slots),
        in(total(lengths), heads, dim, shift, 7),
        state(Numbers(8).exact(5 * heads * dim * dim, 0.3f)), before(state),
        o(in.v.size(), std::numeric_limits<float>::quiet_NaN()) {
    cuSeqlens = {0};
    for (int64_t length : lengths)
      cuSeqlens.push_back(cuSeqlens.back() + length);
    contextLens.assign(lengths.size(), resumed ? 9 : 0);
    this->resumed = resumed;
  }
  static int64_t total(const std::vector<int64_t> &lengths) {
    int64_t sum = 0;
    for (int64_t length : lengths)
      sum += length;
    return sum;
  }

  std::vector<int64_t> lengths;
  std::vector<int32_t> slots, cuSeqlens, contextLens;
  bool resumed;
  KdaInputs in;
  std::vector<float> state, before, o;
};

TileArgument floats(std::vector<float> &memory) { return {&memory, nullptr}; }
TileArgument integers(std::vector<int32_t> &memory) {
  return {nullptr, &memory};
}

void check(const Batch &batch) {
  const KdaInputs &in = batch.in;
  int64_t size = dim * dim;
  for (auto [n, slot] : llvm::enumerate(batch.slots)) {
    for (int64_t head = 0; head < in.heads; ++head) {
      int64_t first = batch.cuSeqlens[n], last = batch.cuSeqlens[n + 1];
      std::vector<double> got;
      for (int64_t token = first; token < last; ++token)
        for (int64_t i = 0; i < dim; ++i)
          got.push_back(batch.o[(token * in.heads + head) * dim + i]);
      if (slot < 0) {
        for (double value : got)
          EXPECT_EQ(value, 0);
        continue;
      }
      auto at = batch.before.begin() + (slot * in.heads + head) * size;
      std::vector<double> start(size, 0);
      if (batch.resumed)
        start.assign(at, at + size);
      KdaOutputs want = recurrence(in, head, first, last, start, -5);
      EXPECT_LE(relativeError(got, want.o), 5e-3) << n << ' ' << head;
      auto after = batch.state.begin() + (slot * in.heads + head) * size;
      EXPECT_LE(relativeError({after, after + size}, want.state), 4.4e-3)
          << n << ' ' << head;
    }
  }
}

void runFused(Batch &batch) {
  Program program;
  KdaShape shape;
  shape.heads = batch.in.heads;
  auto kernel = buildKdaPrefill(program.module(), shape);
  ASSERT_TRUE(succeeded(kernel) && succeeded(verify(program.module())));
  KdaInputs &in = batch.in;
  TileArgument arguments[] = {
      floats(in.q),          floats(in.k),
      floats(in.v),          floats(in.g),
      floats(in.beta),       floats(in.aLog),
      floats(in.dtBias),     floats(batch.state),
      floats(batch.o),       integers(batch.cuSeqlens),
      integers(batch.slots), integers(batch.contextLens)};
  for (int64_t w = 0; w < int64_t(batch.slots.size()) * in.heads; ++w)
    ASSERT_TRUE(succeeded(interpretTiles(*kernel, arguments, w)));
}

void runSplit(Batch &batch) {
  Program program;
  KdaShape shape;
  KdaInputs &in = batch.in;
  shape.heads = in.heads;
  auto prepare = buildKdaPrepare(program.module(), shape);
  auto recur = buildKdaRecur(program.module(), shape);
  ASSERT_TRUE(succeeded(prepare) && succeeded(recur) &&
              succeeded(verify(program.module())));
  int64_t sequences = batch.slots.size();
  int64_t chunks = in.tokens / 64 + sequences;
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> factors(chunks * in.heads * 32768, nan),
      vectors(chunks * in.heads * 256, nan);
  TileArgument first[] = {floats(in.q),
                          floats(in.k),
                          floats(in.g),
                          floats(in.beta),
                          floats(in.aLog),
                          floats(in.dtBias),
                          floats(factors),
                          floats(vectors),
                          integers(batch.cuSeqlens),
                          {nullptr, nullptr, sequences}};
  for (int64_t w = 0; w < chunks * in.heads; ++w)
    ASSERT_TRUE(succeeded(interpretTiles(*prepare, first, w)));
  TileArgument second[] = {floats(in.v),          floats(batch.state),
                           floats(batch.o),       floats(factors),
                           floats(vectors),       integers(batch.cuSeqlens),
                           integers(batch.slots), integers(batch.contextLens)};
  for (int64_t w = 0; w < 2 * sequences * in.heads; ++w)
    ASSERT_TRUE(succeeded(interpretTiles(*recur, second, w)));
}

struct Kernels {
  const char *name;
  void (*run)(Batch &);
};

class KdaPrefill : public testing::TestWithParam<Kernels> {
protected:
  void runAndCheck(Batch batch) {
    GetParam().run(batch);
    if (!HasFatalFailure())
      check(batch);
  }
};

TEST_P(KdaPrefill, OneSequenceOfTwoChunksAndAToken) {
  runAndCheck(Batch({129}, {2}, true, 1, -4));
}

TEST_P(KdaPrefill, StrongAndWeakGates) {
  for (float shift : {0.f, -8.f})
    runAndCheck(Batch({64}, {0}, false, 1, shift));
}

// Fresh slots are not read, an empty sequence leaves its state, a padded row
// gives zeros.
TEST_P(KdaPrefill, PackedSequences) {
  runAndCheck(Batch({1, 0, 17, 65, 3}, {3, 1, 0, 4, -1}, true, 2, -4));
  runAndCheck(Batch({15, 0, 63}, {1, 2, 0}, false, 1, -4));
}

INSTANTIATE_TEST_SUITE_P(Schedules, KdaPrefill,
                         testing::Values(Kernels{"fused", runFused},
                                         Kernels{"split", runSplit}),
                         [](const testing::TestParamInfo<Kernels> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
