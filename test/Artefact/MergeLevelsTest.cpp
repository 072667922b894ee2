// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every CPU level gives the command list the same launches; only scratch may
// differ.

#include "k3/Artefact/Plan.h"

#include <gtest/gtest.h>

using namespace k3;

namespace {

LoweredKernel kernel(const std::string &symbol, uint64_t scratch) {
  LoweredKernel kernel;
  kernel.symbol = symbol;
  kernel.dims = {{0, 0}, {1, 0}};
  kernel.gridDim = 0;
  kernel.tile = 16;
  kernel.scratchBytes = scratch;
  return kernel;
}

using Level = std::vector<LoweredKernel>;

TEST(MergeLevels, TakesTheLargestScratch) {
  std::vector<Level> levels = {{kernel("a", 64), kernel("b", 256)},
                               {kernel("a", 128), kernel("b", 0)}};
  Level merged;
  ASSERT_TRUE(mergeLevels(levels, merged).ok());
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].scratchBytes, 128u);
  EXPECT_EQ(merged[1].scratchBytes, 256u);
}

template <class Change> void refuse(const char *part, Change change) {
  SCOPED_TRACE(part);
  std::vector<Level> levels(2, {kernel("a", 64), kernel("b", 256)});
  change(levels[1]);
  Level merged;
  Status status = mergeLevels(levels, merged);
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_NE(status.render().find("K3-E0592"), std::string::npos);
}

TEST(MergeLevels, RefusesLevelsThatDoNotAgree) {
  refuse("symbol", [](Level &level) { level[1].symbol = "c"; });
  refuse("dims", [](Level &level) { level[1].dims.pop_back(); });
  refuse("gridDim", [](Level &level) { level[0].gridDim = 1; });
  refuse("tile", [](Level &level) { level[0].tile = 8; });
  refuse("multiplier", [](Level &level) { level[1].multiplier = 2; });
  refuse("count", [](Level &level) { level.pop_back(); });
}

} // namespace
