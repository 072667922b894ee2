// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loaded weights hold.

#include "test/runtime/weights/WeightsFixture.h"

using namespace k3;
using namespace k3::test;
using artefact::Packing;

TEST_F(WeightsTest, NoWeightsNeedNoCheckpoint) {
  index.producer = index.source_sha256 = "x";
  flatbuffers::FlatBufferBuilder builder;
  artefact::FinishIndexBuffer(builder, artefact::Index::Pack(builder, &index));
  EXPECT_TRUE(loadWeights(*artefact::GetIndex(builder.GetBufferPointer()), "",
                          {}, &buffers)
                  .ok());
  EXPECT_TRUE(buffers.empty());
}

TEST_F(WeightsTest, PlainWeightsAreCopied) {
  weight("a", DType::F32, {2, 3});
  weight("b", DType::I64, {2});
  counting("a.weight", DType::F32, {2, 3});
  counting("b.weight", DType::I64, {2}, 40);
  counting("unused", DType::U8, {1});
  Status status = load();
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(values<float>(0), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values<int64_t>(1), (std::vector<int64_t>{40, 41}));
  for (const AlignedBuffer &buffer : buffers)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
}

TEST_F(WeightsTest, ElementTypesAreConverted) {
  weight("a", DType::F32, {2}).source_dtype = artefact::DType::BF16;
  weight("b", DType::BF16, {3}).source_dtype = artefact::DType::F32;
  weight("c", DType::F32, {1}).source_dtype = artefact::DType::F16;
  tensor("a.weight", DType::BF16, {2},
         bytesOfValues<uint16_t>({0x3f80, 0xc000}));
  // Exactly between two numbers, above, below.
  tensor("b.weight", DType::F32, {3},
         bytesOfValues<uint32_t>({0x3f808000, 0x3f808001, 0x3f807fff}));
  tensor("c.weight", DType::F16, {1}, bytesOfValues<uint16_t>({0x3c01}));
  Status status = load();
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(values<float>(0), (std::vector<float>{1, -2}));
  EXPECT_EQ(values<uint16_t>(1),
            (std::vector<uint16_t>{0x3f80, 0x3f81, 0x3f80}));
  EXPECT_EQ(values<float>(2), std::vector<float>{1 + 0x1p-10f});
}

TEST_F(WeightsTest, StacksAreOneAfterTheOther) {
  artefact::WeightT &made = weight("experts", DType::F32, {3, 2, 2});
  made.stack = 3;
  made.source = "experts.{}.w1";
  made.source_shape = {2, 2};
  for (int i = 2; i >= 0; --i)
    counting("experts." + std::to_string(i) + ".w1", DType::F32, {2, 2}, i * 4);
  ASSERT_TRUE(load().ok());
  std::vector<float> wanted(12);
  for (size_t i = 0; i < 12; ++i)
    wanted[i] = float(i);
  EXPECT_EQ(values<float>(0), wanted);
}

TEST_F(WeightsTest, PackedStacks) {
  artefact::WeightT &made =
      weight("w", DType::U8, {2, 17, 3}, Packing::NibblePanels);
  made.stack = 2;
  made.source = "w.{}";
  made.source_shape = {17, 3};
  counting("w.0", DType::U8, {17, 3}, 0);
  counting("w.1", DType::U8, {17, 3}, 100);
  ASSERT_TRUE(load().ok());
  std::vector<uint8_t> got = values<uint8_t>(0);
  ASSERT_EQ(got.size(), 2u * 32 * 3);
  EXPECT_EQ(got[0], 0);              // expert 0, row 0, byte 0
  EXPECT_EQ(got[1], 3);              // row 1
  EXPECT_EQ(got[16], 1);             // byte 1
  EXPECT_EQ(got[48], 48);            // row 16
  EXPECT_EQ(got[49], 0);             // padding
  EXPECT_EQ(got[96], 100);           // expert 1
  EXPECT_EQ(got[96 + 48 + 32], 150); // its row 16, byte 2
}

// The tail of a padded A_log is not looked at: it may be anything.
TEST_F(WeightsTest, PrefixIgnoresTheTail) {
  artefact::WeightT &made = weight("A_log", DType::F32, {3});
  made.prefix = true;
  made.source_shape = {1, 1, 5, 1};
  float nan = __builtin_nanf("");
  tensor("A_log.weight", DType::F32, {1, 1, 5, 1},
         bytesOfValues<float>({1, 2, 3, 1e9f, nan}));
  Status status = load();
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(values<float>(0), (std::vector<float>{1, 2, 3}));
}

TEST_F(WeightsTest, WithoutElements) {
  weight("a", DType::F32, {0, 4});
  weight("b", DType::BF16, {4, 0}, Packing::PairPanels);
  counting("a.weight", DType::F32, {0, 4});
  counting("b.weight", DType::BF16, {4, 0});
  Status status = load();
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(buffers[0].size(), 0u);
}

// Large enough for several tasks on several threads.
TEST_F(WeightsTest, ThreadsDoNotMatter) {
  weight("a", DType::BF16, {3000, 1001}, Packing::PairPanels).source_dtype =
      artefact::DType::F32;
  weight("b", DType::F32, {1200, 1000});
  counting("a.weight", DType::F32, {3000, 1001});
  counting("b.weight", DType::F32, {1200, 1000});
  LoadOptions options;
  options.threads = 1;
  ASSERT_TRUE(load(options).ok());
  std::vector<uint8_t> a = values<uint8_t>(0), b = values<uint8_t>(1);
  for (int threads : {2, 4, 0}) {
    options.threads = threads;
    ASSERT_TRUE(load(options).ok());
    EXPECT_TRUE(values<uint8_t>(0) == a);
    EXPECT_TRUE(values<uint8_t>(1) == b);
  }
  EXPECT_EQ(values<float>(1)[1199999], 1199999.0f);
}

TEST_F(WeightsTest, ProgressRises) {
  weight("a", DType::F32, {3000, 1000});
  counting("a.weight", DType::F32, {3000, 1000});
  struct Seen {
    uint64_t last = 0, total = 0;
    bool falls = false;
  } seen;
  LoadOptions options;
  options.threads = 2;
  options.progressUser = &seen;
  options.progress = [](void *user, uint64_t done, uint64_t total) {
    auto &seen = *static_cast<Seen *>(user);
    seen.falls |= done < seen.last;
    seen.last = done;
    seen.total = total;
  };
  ASSERT_TRUE(load(options).ok());
  EXPECT_FALSE(seen.falls);
  EXPECT_EQ(seen.last, 12000000u);
  EXPECT_EQ(seen.total, 12000000u);
}
