// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every golden case of single operations on the reference.

#include "OpGolden/OpCase.h"
#include "k3/Reference/Mxfp4.h"
#include "k3/Reference/TensorFile.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace k3;
using namespace k3::golden;

namespace {

/// Golden values are float64 rounded to F32, which alone is 3e-8.
constexpr double tolerance = 1e-7;

std::vector<OpCase> loadAll(mlir::MLIRContext &context) {
  std::vector<OpCase> cases;
  Status status = loadOpCases(context, K3_GOLDEN "/ops", false, cases);
  EXPECT_TRUE(status.ok()) << status.render();
  return cases;
}

} // namespace

TEST(OpGolden, EveryCaseOfTheManifest) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::map<std::string, double> worst;
  std::vector<OpCase> cases = loadAll(context);
  EXPECT_GE(cases.size(), 80u);
  for (OpCase &made : cases) {
    CaseWeights weights(made);
    std::unique_ptr<reference::ModelRunner> runner;
    ASSERT_TRUE(mlir::succeeded(
        reference::ModelRunner::create(*made.module, &weights, 0, 0, runner)));
    NamedTensors outputs;
    ASSERT_TRUE(mlir::succeeded(runner->run("main", made.inputs, outputs)))
        << made.name;
    for (const auto &[name, expected] : made.outputs) {
      double error = relativeError(*outputs.at(name), expected);
      EXPECT_LE(error, tolerance) << made.name << " " << name;
      double &seen = worst[made.name.substr(0, made.name.find('/'))];
      seen = std::max(seen, error);
    }
  }
  for (const auto &[model, error] : worst)
    RecordProperty(model, std::to_string(error * 1e8) + "e-8");
}

TEST(OpGolden, EveryCaseAlsoInBf16) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::vector<OpCase> cases;
  Status status = loadOpCases(context, K3_GOLDEN "/ops", true, cases);
  EXPECT_TRUE(status.ok()) << status.render();
}

TEST(OpGolden, Mxfp4DecodesEveryCode) {
  reference::NamedTensors file;
  ASSERT_TRUE(
      reference::readTensorFile(K3_GOLDEN "/ops/mxfp4.safetensors", file).ok());
  for (std::string name : {"random", "all_bytes"}) {
    const Tensor &packed = *file.at(name + ".packed");
    const Tensor &scale = *file.at(name + ".scale");
    const Tensor &golden = *file.at(name + ".w");
    std::vector<double> decoded(golden.count());
    reference::decodeMxfp4(packed.integers.data(), scale.integers.data(),
                           golden.count(), decoded.data());
    for (int64_t i = 0; i < golden.count(); ++i) {
      float wanted = float(golden.reals[i]), got = float(decoded[i]);
      if (std::isnan(wanted))
        ASSERT_TRUE(std::isnan(got)) << name << " " << i;
      else
        ASSERT_EQ(got, wanted) << name << " " << i;
    }
  }
}
