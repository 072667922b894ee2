// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which code object runs, and what the refusals say.

#include "runtime/device/cpu/SelectCode.h"

#include <gtest/gtest.h>

using namespace k3;
using namespace k3::cpu;

namespace {

const CpuFeatures avx2({"avx2", "fma", "f16c", "bmi2"});
const CpuFeatures avx512({"avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw",
                          "avx512cd", "avx512dq", "avx512vl"});
const std::vector<CodeVariant> both = {{"x86-64-v3", {}}, {"x86-64-v4", {}}};

TEST(SelectCode, takesTheBestThatTheCpuRuns) {
  size_t index = 9;
  ASSERT_TRUE(selectCode(both, avx512, "", index).ok());
  EXPECT_EQ(index, 1u);
  ASSERT_TRUE(selectCode(both, avx2, "", index).ok());
  EXPECT_EQ(index, 0u);
}

TEST(SelectCode, skipsAVariantWhoseExtraFeatureIsMissing) {
  std::vector<CodeVariant> variants = {{"x86-64-v4", {"avx512bf16"}},
                                       {"x86-64-v3", {}}};
  size_t index = 9;
  ASSERT_TRUE(selectCode(variants, avx512, "", index).ok());
  EXPECT_EQ(index, 1u);
}

TEST(SelectCode, obeysTheWantedTarget) {
  size_t index = 9;
  ASSERT_TRUE(selectCode(both, avx512, "x86-64-v3", index).ok());
  EXPECT_EQ(index, 0u);
}

// Case C32.
TEST(SelectCode, saysWhatTheArtefactHoldsAndHowToRebuild) {
  std::vector<CodeVariant> variants = {{"sm_90a", {}},
                                       {"x86-64-v4", {"avx512bf16"}}};
  size_t index;
  Status status = selectCode(variants, avx2, "", index);
  EXPECT_EQ(status.code(), Code::Environment);
  EXPECT_EQ(status.text(),
            "no code object fits this CPU (the artefact holds sm_90a, "
            "x86-64-v4; for x86-64-v4 this CPU lacks avx512f, avx512bw, "
            "avx512cd, avx512dq, avx512vl, avx512bf16; this CPU runs "
            "x86-64-v3)");
  EXPECT_EQ(status.help(), "rebuild it: k3-compile model.mlir "
                           "--target=x86-64-v3 -o model.fatbin");
}

TEST(SelectCode, refusesAnUnknownTarget) {
  size_t index;
  Status status = selectCode(both, avx2, "banana", index);
  EXPECT_EQ(status.code(), Code::BadUsage);
  EXPECT_EQ(status.text(),
            "unknown target 'banana' (known: x86-64-v4, x86-64-v3)");
}

TEST(SelectCode, refusesAWantedTargetThatIsAbsentOrDoesNotRun) {
  size_t index;
  std::vector<CodeVariant> one = {{"x86-64-v4", {}}};
  EXPECT_EQ(selectCode(one, avx512, "x86-64-v3", index).text(),
            "no code for target 'x86-64-v3' (the artefact holds x86-64-v4)");
  EXPECT_EQ(selectCode(one, avx2, "x86-64-v4", index).text(),
            "target 'x86-64-v4': this CPU lacks avx512f, avx512bw, avx512cd, "
            "avx512dq, avx512vl");
}

TEST(SelectCode, detectsWhatTheCompilerDetects) {
  CpuFeatures cpu = CpuFeatures::detect();
  EXPECT_EQ(cpu.has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(cpu.has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(cpu.has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(cpu.has("avx512bf16"), __builtin_cpu_supports("avx512bf16") != 0);
}

} // namespace
