// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints that do not fit (B8, B9 of the fault catalogue).

#include "test/runtime/weights/WeightsFixture.h"

#include <cmath>

using namespace k3;
using namespace k3::test;
using artefact::Packing;

TEST_F(WeightsTest, NoCheckpointGiven) {
  weight("a", DType::F32, {1});
  index.producer = index.source_sha256 = "x";
  flatbuffers::FlatBufferBuilder builder;
  artefact::FinishIndexBuffer(builder, artefact::Index::Pack(builder, &index));
  expectError(loadWeights(*artefact::GetIndex(builder.GetBufferPointer()), "",
                          {}, &buffers),
              142, "the model has 1 weights, but no checkpoint");
}

TEST_F(WeightsTest, OneMissingTensor) {
  weight("q", DType::F32, {1}).source = "layers.0.q_proj";
  counting("layers.0.k_proj", DType::F32, {1});
  Status status = load();
  expectError(status, 140,
              ": 1 tensor does not fit: tensor 'layers.0.q_proj' is missing "
              "(nearest: 'layers.0.k_proj')");
  EXPECT_TRUE(status.details().empty());
  EXPECT_TRUE(buffers.empty());
}

TEST_F(WeightsTest, AllProblemsAtOnceAndSorted) {
  weight("d", DType::F32, {2});
  weight("c", DType::F32, {2});
  weight("b", DType::F32, {2});
  weight("a", DType::F32, {2}).source_dtype = artefact::DType::I32;
  counting("a.weight", DType::I32, {2});
  counting("b.weight", DType::F32, {2, 1});
  counting("c.weight", DType::BF16, {2});
  Status status = load();
  expectError(status, 140,
              "4 tensors do not fit: tensor 'b.weight' has shape "
              "[2, 1] (wanted [2])");
  std::vector<std::string> wanted = {
      "tensor 'b.weight' has shape [2, 1] (wanted [2])",
      "tensor 'c.weight' is BF16 (wanted F32)",
      "tensor 'd.weight' is missing (nearest: 'b.weight')",
      "weight 'a': I32 is not converted to F32"};
  std::vector<std::string> details = status.details();
  ASSERT_EQ(details.size(), 4u);
  EXPECT_EQ(details[0], wanted[0]);
  EXPECT_EQ(details[1], wanted[1]);
  EXPECT_EQ(details[2].rfind("tensor 'd.weight' is missing", 0), 0u);
  EXPECT_EQ(details[3], wanted[3]);
}

TEST_F(WeightsTest, TwentyProblemsAndACount) {
  artefact::WeightT &made = weight("e", DType::F32, {300, 1});
  made.stack = 300;
  made.source = "experts.{}.w1";
  made.source_shape = {1};
  counting("experts.7.w1", DType::F32, {1});
  Status status = load();
  expectError(status, 140,
              "299 tensors do not fit: tensor 'experts.0.w1' is "
              "missing (nearest: 'experts.7.w1')");
  ASSERT_EQ(status.details().size(), 21u);
  EXPECT_EQ(status.details()[20], "and 279 more");
}

TEST_F(WeightsTest, NonfiniteIsRefusedWithCountAndPlace) {
  weight("A_log", DType::F32, {10});
  weight("b", DType::BF16, {20, 2}, Packing::PairPanels);
  std::vector<float> values(10, 1.0f);
  values[7] = values[8] = values[9] = NAN;
  tensor("A_log.weight", DType::F32, {10}, bytesOfValues(values));
  std::vector<uint16_t> brains(40, 0x3f80);
  brains[39] = 0xff80;
  tensor("b.weight", DType::BF16, {20, 2}, bytesOfValues(brains));
  Status status = load();
  expectError(status, 141,
              "weights are not finite: 3 NaN in 'A_log', first at [7]");
  EXPECT_EQ(status.details()[1], "1 infinite in 'b', first at [39]");
  EXPECT_TRUE(buffers.empty());
  LoadOptions options;
  options.allowNonfinite = true;
  EXPECT_TRUE(load(options).ok());
  EXPECT_TRUE(std::isnan(this->values<float>(0)[7]));
}

// C24 of the cases: byte 255 of an E8M0 scale is NaN.
TEST_F(WeightsTest, NanScalesAreRefused) {
  weight("scale", DType::U8, {16, 2}, Packing::ScalePanels);
  weight("bytes", DType::U8, {16, 2}, Packing::NibblePanels);
  std::vector<uint8_t> scales(32, 127);
  scales[5] = 255;
  tensor("scale.weight", DType::U8, {16, 2}, scales);
  tensor("bytes.weight", DType::U8, {16, 2}, std::vector<uint8_t>(32, 255));
  expectError(load(), 141, "1 NaN in 'scale', first at [5]");
}

TEST_F(WeightsTest, PlaceInAStack) {
  artefact::WeightT &made = weight("e", DType::F32, {3, 4});
  made.stack = 3;
  made.source = "e.{}";
  made.source_shape = {4};
  for (int i = 0; i < 3; ++i) {
    std::vector<float> values(4, 0.0f);
    if (i == 2)
      values[1] = INFINITY;
    tensor("e." + std::to_string(i), DType::F32, {4}, bytesOfValues(values));
  }
  expectError(load(), 141, "1 infinite in 'e', first at [9]");
}

TEST_F(WeightsTest, TooLargeForMemory) {
  artefact::WeightT &made = weight("big", DType::F32, {1});
  made.bytes = uint64_t(1) << 62;
  counting("big.weight", DType::F32, {1});
  Status status = load();
  expectError(status, 620, "weight 'big' needs 4611686018427387904 bytes");
  EXPECT_EQ(status.code(), Code::Resources);
}
