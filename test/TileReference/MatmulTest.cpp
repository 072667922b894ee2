// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a product: ragged rows and columns, the order of workgroups.

#include "KdaRecurrence.h"

#include "k3/Schedule/MatmulKernel.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace k3;
using namespace k3::test;

TEST(Matmul, EveryElementIsComputedOnce) {
  int64_t rows = 130, depth = 192, columns = 264;
  Numbers numbers(3);
  std::vector<float> x = numbers.halves(rows * depth),
                     w = numbers.halves(columns * depth),
                     y(rows * columns, std::numeric_limits<float>::quiet_NaN());
  Program program;
  auto kernel = buildMatmul(program.module(), {columns, depth});
  ASSERT_TRUE(succeeded(kernel) && succeeded(verify(program.module())));
  TileArgument arguments[] = {{&x}, {&w}, {&y}, {nullptr, nullptr, rows}};
  for (int64_t workgroup = 0; workgroup < 2 * 2; ++workgroup)
    ASSERT_TRUE(succeeded(interpretTiles(*kernel, arguments, workgroup)));
  std::vector<double> want;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += double(x[r * depth + k]) * w[c * depth + k];
      want.push_back(sum);
    }
  EXPECT_LE(relativeError({y.begin(), y.end()}, want), 2e-3);
}
