// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chunked recurrence means what k3.delta_rule means, for every member of
// the family and for random ones.

#include "OpGolden/OpCase.h"
#include "OpGolden/RandomDelta.h"

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace k3;
using namespace k3::golden;

namespace {

LogicalResult chunk(ModuleOp module, int64_t chunkSize, int64_t subTile) {
  PassManager pm(module.getContext());
  ChunkDeltaRulePassOptions options;
  options.chunkSize = chunkSize;
  options.subTile = subTile;
  pm.addPass(createChunkDeltaRulePass(options));
  return pm.run(module);
}

size_t countRules(ModuleOp module) {
  size_t count = 0;
  module.walk([&](DeltaRuleOp) { ++count; });
  return count;
}

void run(ModuleOp module, const NamedTensors &inputs, NamedTensors &outputs,
         reference::WeightSource *weights = nullptr) {
  std::unique_ptr<reference::ModelRunner> runner;
  ASSERT_TRUE(
      succeeded(reference::ModelRunner::create(module, weights, 1, 1, runner)));
  ASSERT_TRUE(succeeded(runner->run("main", inputs, outputs)));
}

/// Both in fp64, so only the order of sums differs. Poison in unused slots
/// stays what it is.
double distance(const Tensor &got, const Tensor &want) {
  double difference = 0, size = 0;
  for (int64_t i = 0; i < want.count(); ++i) {
    if (std::isnan(want.reals[i]) != std::isnan(got.reals[i]))
      return INFINITY;
    if (std::isnan(want.reals[i]))
      continue;
    difference += std::pow(got.reals[i] - want.reals[i], 2);
    size += std::pow(want.reals[i], 2);
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

} // namespace

TEST(Chunk, EveryGoldenRecurrence) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::vector<OpCase> cases;
  ASSERT_TRUE(loadOpCases(context, K3_GOLDEN "/ops", false, cases).ok());
  size_t chunked = 0;
  for (OpCase &made : cases) {
    if (countRules(*made.module) == 0)
      continue;
    CaseWeights weights(made);
    NamedTensors want, got;
    run(*made.module, made.inputs, want, &weights);
    ASSERT_TRUE(succeeded(chunk(*made.module, 64, 16))) << made.name;
    EXPECT_EQ(countRules(*made.module), 0u) << made.name;
    run(*made.module, made.inputs, got, &weights);
    for (const auto &[name, value] : want)
      EXPECT_LE(distance(*got.at(name), *value), 1e-12)
          << made.name << " " << name;
    for (const auto &[name, expected] : made.outputs)
      EXPECT_LE(relativeError(*got.at(name), expected), 1e-7)
          << made.name << " " << name;
    ++chunked;
  }
  EXPECT_GE(chunked, 40u);
}

TEST(Chunk, RandomPrograms) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<K3Dialect, func::FuncDialect>();
  // K3_RANDOM_PROGRAMS runs more of them.
  unsigned count = 100;
  if (const char *given = std::getenv("K3_RANDOM_PROGRAMS"))
    ASSERT_FALSE(StringRef(given).getAsInteger(10, count)) << given;
  for (unsigned seed = 0; seed < count; ++seed) {
    RandomDelta program(seed);
    auto module = parseSourceString<ModuleOp>(program.text(), &context);
    ASSERT_TRUE(module) << program.text();
    NamedTensors want, got;
    run(*module, program.inputs(), want);
    ASSERT_TRUE(
        succeeded(chunk(*module, program.chunkSize(), program.subTile())))
        << program.text();
    ASSERT_EQ(countRules(*module), 0u) << program.text();
    run(*module, program.inputs(), got);
    for (const auto &[name, value] : want)
      EXPECT_LE(distance(*got.at(name), *value), 1e-11)
          << "seed " << seed << " " << name << "\n"
          << program.text();
  }
}
