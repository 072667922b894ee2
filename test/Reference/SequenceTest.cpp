// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots, padded rows, dirty memory, and refusals.

#include "TestModule.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace k3::reference;

static NamedTensors fourRows() {
  NamedTensors in;
  in["q"] = reals({4, 1, 2}, {1, 0, 0, 1, .6, .8, 1, 1});
  in["k"] = reals({4, 1, 2}, {1, 0, .6, .8, 0, 1, 1, 0});
  in["v"] = reals({4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  in["g"] = filled({4, 1, 2}, -.5);
  in["beta"] = filled({4, 1}, .5);
  in["bounds"] = integers({0, 1, 2, 3, 4});
  return in;
}

TEST(Sequences, PaddedRowsGiveZerosAndWriteNothing) {
  TestModule module(deltaModule({}));
  NamedTensors in = fourRows();
  in["places"] = integers({3, -1, 1, -1});
  in["lengths"] = integers({1, 1, 1, 0});
  in["h0"] = filled({4, 1, 2, 2}, .25);
  NamedTensors out = module.run(in);
  ASSERT_TRUE(out.count("o"));
  for (int64_t row : {1, 3})
    for (int64_t i = 0; i < 2; ++i)
      EXPECT_EQ(out["o"]->row(row)[i], 0);
  for (int64_t slot : {0, 2})
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(out["h"]->row(slot)[i], .25);
  // The other rows are what they are without padded ones.
  NamedTensors alone = fourRows();
  for (const char *name : {"q", "k", "v", "g"}) {
    const Tensor &all = *in[name];
    alone[name] = reals({2, 1, 2}, {all.row(0)[0], all.row(0)[1], all.row(2)[0],
                                    all.row(2)[1]});
  }
  alone["beta"] = filled({2, 1}, .5);
  alone["bounds"] = integers({0, 1, 2});
  alone["places"] = integers({3, 1});
  alone["lengths"] = integers({1, 1});
  alone["h0"] = in["h0"];
  NamedTensors wanted = module.run(alone);
  EXPECT_EQ(out["h"]->reals, wanted["h"]->reals);
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(out["o"]->row(0)[i], wanted["o"]->row(0)[i]);
    EXPECT_EQ(out["o"]->row(2)[i], wanted["o"]->row(1)[i]);
  }
}

TEST(Sequences, FreshSequencesDoNotReadDirtySlots) {
  TestModule module(deltaModule({}));
  NamedTensors in = fourRows();
  in["places"] = integers({0, 1, 2, 3});
  in["lengths"] = integers({0, 0, 0, 0});
  in["h0"] = filled({4, 1, 2, 2}, 0);
  NamedTensors clean = module.run(in);
  for (double dirt : {double(NAN), 1e30}) {
    in["h0"] = filled({4, 1, 2, 2}, dirt);
    NamedTensors dirty = module.run(in);
    EXPECT_EQ(clean["o"]->reals, dirty["o"]->reals);
    EXPECT_EQ(clean["h"]->reals, dirty["h"]->reals);
  }
}

TEST(Sequences, RefusesWhatDoesNotFit) {
  TestModule module(deltaModule({}));
  NamedTensors good = fourRows();
  good["places"] = integers({0, 1, 2, 3});
  good["lengths"] = integers({0, 0, 0, 0});
  good["h0"] = filled({4, 1, 2, 2}, 0);
  auto messageWith = [&](const char *name, TensorPtr value) {
    NamedTensors in = good;
    in[name] = std::move(value);
    EXPECT_TRUE(module.run(in).empty());
    return module.message;
  };
  EXPECT_EQ(messageWith("bounds", integers({1, 1, 2, 3, 4})),
            "cu_seqlens must start at 0");
  EXPECT_EQ(messageWith("bounds", integers({0, 2, 1, 3, 4})),
            "cu_seqlens decreases at 2");
  EXPECT_EQ(messageWith("bounds", integers({0, 1, 2, 3, 5})),
            "cu_seqlens must end at 4 tokens, got 5");
  EXPECT_EQ(messageWith("places", integers({0, 1, 2, 4})),
            "slot 4 lies outside the pool of 4");
  EXPECT_EQ(messageWith("places", integers({0, 1, 2, 2})),
            "two sequences share slot 2");
  EXPECT_EQ(messageWith("lengths", integers({0, 0, 0, -1})),
            "context_lens has a negative entry");
  EXPECT_EQ(messageWith("lengths", integers({0})),
            "slots and context_lens must have 4 entries, got 4 and 1");
  EXPECT_EQ(messageWith("beta", filled({4, 2}, 0)),
            "input 4 is not a value of 'tensor<?x1xf32>'");
}

TEST(Sequences, ShortConvKeepsItsInputs) {
  for (int64_t kept : {3, 4}) {
    std::string state = "tensor<?x1x" + std::to_string(kept) + "xf32>";
    TestModule module(
        "func.func @main(%x: tensor<?x1xf32> {k3.name = \"x\"}, %s: " + state +
        " {k3.name = \"s\"}, %w: tensor<1x4xf32> {k3.name = \"w\"},"
        "%b: tensor<?xi32> {k3.name = \"bounds\"},"
        "%p: tensor<?xi32> {k3.name = \"places\"},"
        "%l: tensor<?xi32> {k3.name = \"lengths\"}) -> (tensor<?x1xf32> "
        "{k3.name = \"y\"}, " +
        state +
        " {k3.name = \"s1\"}) {"
        "%y, %s1 = k3.short_conv %x, %w, %s seqs(%b, %p, %l) {activation = "
        "#k3.activation<silu>} : (tensor<?x1xf32>, tensor<1x4xf32>, " +
        state +
        ", tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> (tensor<?x1xf32>, " +
        state + ")\n return %y, %s1 : tensor<?x1xf32>, " + state + "}");
    NamedTensors in;
    in["x"] = reals({2, 1}, {1, 2});
    in["w"] = reals({1, 4}, {.1, .2, .3, .4});
    in["bounds"] = integers({0, 2});
    in["places"] = integers({0});
    in["lengths"] = integers({0});
    std::vector<double> before = {5, 6, 7}, fresh = {0, 1, 2},
                        resumed = {7, 1, 2};
    if (kept == 4) {
      before.insert(before.begin(), 9);
      fresh.insert(fresh.begin(), 0);
      resumed.insert(resumed.begin(), 6);
    }
    in["s"] = reals({1, 1, kept}, before);
    NamedTensors out = module.run(in);
    expectNear(out["y"], {.239475064, .825286116}, 1e-9);
    expectNear(out["s1"], fresh, 0);
    in["lengths"] = integers({2});
    out = module.run(in);
    expectNear(out["y"], {4.137949067, 2.966367510}, 1e-9);
    expectNear(out["s1"], resumed, 0);
  }
}
