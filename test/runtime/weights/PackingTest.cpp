// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every layout against its definition in Artefact.fbs, element by element.

#include "test/runtime/weights/WeightsFixture.h"

#include "runtime/weights/Packing.h"

using namespace k3;
using namespace k3::test;
using artefact::Packing;

namespace {

/// The packed form of [matrices, rows, inputs], as the definition says it:
/// panels of 16 rows, and `group` neighbouring inputs kept together.
template <class T>
std::vector<T> naive(const std::vector<T> &in, int64_t matrices, int64_t rows,
                     int64_t inputs, int64_t group) {
  int64_t panels = (rows + 15) / 16, groups = (inputs + group - 1) / group;
  std::vector<T> out(size_t(matrices * panels * groups * 16 * group), T(0));
  for (int64_t m = 0; m < matrices; ++m)
    for (int64_t n = 0; n < rows; ++n)
      for (int64_t k = 0; k < inputs; ++k) {
        int64_t to = m;
        to = to * panels + n / 16;
        to = to * groups + k / group;
        to = to * 16 + n % 16;
        to = to * group + k % group;
        out[size_t(to)] = in[size_t((m * rows + n) * inputs + k)];
      }
  return out;
}

struct PackedSizes : WeightsTest {
  template <class T> void check(Packing packing, DType dtype, int64_t group) {
    for (auto [matrices, rows, inputs] : {std::array<int64_t, 3>{1, 16, 2},
                                          {1, 1, 1},
                                          {1, 17, 5},
                                          {3, 15, 7},
                                          {2, 48, 33},
                                          {1, 160, 64},
                                          {4, 32, 1}}) {
      index.weights.clear();
      stored.clear();
      std::vector<int64_t> shape = {matrices, rows, inputs};
      weight("w", dtype, shape, packing);
      std::vector<T> in(size_t(matrices * rows * inputs));
      for (size_t i = 0; i < in.size(); ++i)
        in[i] = T(i % 251 + 1);
      tensor("w.weight", dtype, shape, bytesOfValues(in));
      Status status = load();
      ASSERT_TRUE(status.ok()) << status.render();
      EXPECT_EQ(values<T>(0), naive(in, matrices, rows, inputs, group))
          << matrices << "x" << rows << "x" << inputs;
    }
  }
};

} // namespace

TEST_F(PackedSizes, PairPanels) {
  check<uint16_t>(Packing::PairPanels, DType::BF16, 2);
}
TEST_F(PackedSizes, Panels) { check<float>(Packing::Panels, DType::F32, 1); }
TEST_F(PackedSizes, NibblePanels) {
  check<uint8_t>(Packing::NibblePanels, DType::U8, 1);
}
TEST_F(PackedSizes, ScalePanels) {
  check<uint8_t>(Packing::ScalePanels, DType::U8, 1);
}

TEST(Packing, PanelBytes) {
  EXPECT_EQ(panelBytes(Packing::PairPanels, 3), 16u * 4 * 2);
  EXPECT_EQ(panelBytes(Packing::Panels, 3), 16u * 3 * 4);
  EXPECT_EQ(panelBytes(Packing::NibblePanels, 3), 48u);
  EXPECT_EQ(panelBytes(Packing::ScalePanels, 3), 48u);
}

// The empty rows of the last panel are zero even where the buffer was not.
TEST(Packing, MissingRowsAreZero) {
  std::vector<uint8_t> in(15, 9), out(48, 0xff);
  packPanel(Packing::NibblePanels, in.data(), 5, 3, out.data());
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i % 16 < 5 ? 9 : 0);
}
