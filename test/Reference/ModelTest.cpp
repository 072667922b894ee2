// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole models of examples/models against golden logits, states, caches,
// router choices and residual streams.

#include "TestModule.h"
#include "k3/Import/ImportModel.h"
#include "k3/Reference/TensorFile.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace k3;
using namespace k3::reference;

namespace {

/// Golden values are float64 rounded to F32.
constexpr double tolerance = 2e-7;

double relative(llvm::ArrayRef<double> actual, llvm::ArrayRef<double> wanted) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    difference += (actual[i] - wanted[i]) * (actual[i] - wanted[i]);
    norm += wanted[i] * wanted[i];
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

class Model : public testing::Test {
protected:
  void load(const std::string &model) {
    name = model;
    registerImportDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    std::string path = std::string(K3_MODELS "/") + model;
    ModelFolder folder;
    ASSERT_TRUE(readModelFolder(path, folder).ok());
    ASSERT_TRUE(importModel(*context, folder, std::nullopt, module).ok());
    ASSERT_TRUE(CheckpointWeights::open(path, weights).ok());
    ASSERT_TRUE(mlir::succeeded(
        ModelRunner::create(*module, &weights, 2, 1024, runner)));
    runner->fillPools(NAN); // fresh slots are not read
    runner->observe([this](mlir::OpResult result, TensorPtr &value) {
      if (llvm::isa<RouterOp>(result.getOwner()))
        (result.getResultNumber() == 0 ? routerIds : routerWeights)
            .push_back(value);
    });
  }

  NamedTensors run(const std::string &entry, llvm::ArrayRef<int32_t> ids) {
    NamedTensors outputs;
    routerIds.clear();
    routerWeights.clear();
    EXPECT_TRUE(mlir::succeeded(
        runner->run(entry,
                    {{"tokens", integers({ids.begin(), ids.end()})},
                     {"cu_seqlens", integers({0, int32_t(ids.size())})},
                     {"slots", integers({1})}},
                    outputs)));
    return outputs;
  }

  void expectClose(const std::string &what, llvm::ArrayRef<double> actual,
                   const Tensor &wanted) {
    ASSERT_GE(int64_t(actual.size()), wanted.count()) << what;
    double error = relative(actual, wanted.reals);
    EXPECT_LE(error, tolerance) << name << " " << what;
    worst = std::max(worst, error);
  }

  void expectStates(const NamedTensors &golden) {
    for (const auto &[key, wanted] : golden) {
      // "kda_state.layer3" is the state "layers.3.kda_state".
      auto [kind, place] = llvm::StringRef(key).split(".layer");
      if (place.empty())
        continue;
      auto [layer, part] = place.split('.');
      if (kind == "mla_latent")
        kind = "latent_cache";
      std::string state = ("layers." + layer + "." + kind).str();
      if (!part.empty())
        state += "." + part.str();
      TensorPtr pool = runner->pool(state);
      ASSERT_TRUE(pool) << state;
      expectClose(state,
                  llvm::ArrayRef(pool->row(1), pool->rowSize())
                      .take_front(wanted->count()),
                  *wanted);
    }
  }

  void expectRouter(const NamedTensors &golden) {
    const Tensor &ids = *golden.at("router_ids");
    const Tensor &weightsOf = *golden.at("router_weights");
    ASSERT_EQ(int64_t(routerIds.size()), ids.rows());
    for (int64_t layer = 0; layer < ids.rows(); ++layer) {
      llvm::ArrayRef<int32_t> wanted(
          ids.integers.data() + layer * ids.rowSize(), ids.rowSize());
      EXPECT_EQ(wanted, llvm::ArrayRef(routerIds[layer]->integers))
          << name << " layer " << layer;
      Tensor row = Tensor::ofReals({ids.rowSize()});
      std::copy_n(weightsOf.row(layer), ids.rowSize(), row.reals.begin());
      expectClose("router weights", routerWeights[layer]->reals, row);
    }
  }

  void expectPrompt(const std::string &prompt) {
    NamedTensors golden;
    ASSERT_TRUE(readTensorFile(std::string(K3_GOLDEN "/") + name + "/prompt-" +
                                   prompt + ".safetensors",
                               golden)
                    .ok());
    const std::vector<int32_t> &ids = golden.at("ids")->integers;
    runner->reset(1);
    NamedTensors scored = run("score", ids);
    ASSERT_TRUE(scored.count("logits"));
    const Tensor &logits = *golden.at("logits");
    expectClose("logits", scored["logits"]->reals, logits);
    expectStates(golden);
    expectRouter(golden);
    // The same prompt as a prefix, its last token decoded.
    if (ids.size() < 2)
      return;
    runner->reset(1);
    run("prefill", llvm::ArrayRef(ids).drop_back());
    NamedTensors decoded = run("decode", ids.back());
    ASSERT_TRUE(decoded.count("logits"));
    Tensor last = Tensor::ofReals({logits.rowSize()});
    std::copy_n(logits.row(logits.rows() - 1), last.count(),
                last.reals.begin());
    expectClose("decoded logits", decoded["logits"]->reals, last);
    expectStates(golden);
  }

  void TearDown() override {
    RecordProperty("worst_relative_error", std::to_string(worst * 1e8) + "e-8");
  }

  std::string name;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CheckpointWeights weights;
  std::unique_ptr<ModelRunner> runner;
  std::vector<TensorPtr> routerIds, routerWeights;
  double worst = 0;
};

} // namespace

TEST_F(Model, K3Tiny) {
  ASSERT_NO_FATAL_FAILURE(load("k3-tiny"));
  for (const char *prompt : {"1", "15", "16", "17", "100"})
    expectPrompt(prompt);
}

TEST_F(Model, K3TinyLongPrompt) {
  ASSERT_NO_FATAL_FAILURE(load("k3-tiny"));
  expectPrompt("700");
}

TEST_F(Model, KimiLinearTiny) {
  ASSERT_NO_FATAL_FAILURE(load("kimi-linear-tiny"));
  for (const char *prompt : {"1", "17", "150"})
    expectPrompt(prompt);
}

TEST_F(Model, TransformersKimiLinear) {
  ASSERT_NO_FATAL_FAILURE(load("hf-kimi-linear-tiny"));
  NamedTensors golden;
  ASSERT_TRUE(readTensorFile(
                  K3_GOLDEN "/hf-kimi-linear-tiny/golden.safetensors", golden)
                  .ok());
  for (std::string prompt : {"prompt0", "prompt1", "prompt2"}) {
    runner->reset(1);
    const Tensor &logits = *golden.at(prompt + ".logits");
    NamedTensors scored = run("score", golden.at(prompt + ".ids")->integers);
    ASSERT_TRUE(scored.count("logits"));
    double error = relative(scored["logits"]->reals, logits.reals);
    EXPECT_LE(error, tolerance) << prompt;
    worst = std::max(worst, error);
    // Decoding goes on with the tokens that transformers chose. Its logits
    // there are float32 ones, 1.6e-6 from float64; the limit is its manifest's.
    constexpr double float32Tolerance = 1e-5;
    const Tensor &decoded = *golden.at(prompt + ".decode_logits");
    const std::vector<int32_t> &greedy =
        golden.at(prompt + ".greedy")->integers;
    for (int64_t step = 0; step < decoded.rows(); ++step) {
      NamedTensors next = run("decode", greedy[step]);
      ASSERT_TRUE(next.count("logits"));
      EXPECT_LE(relative(next["logits"]->reals,
                         {decoded.row(step), size_t(decoded.rowSize())}),
                float32Tolerance)
          << prompt << " step " << step;
    }
  }
}
