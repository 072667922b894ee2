// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weight table of Kimi K3 and Kimi Linear, layer by layer.

#include "k3/Import/WeightPlan.h"

#include "ImportErrors.h"
#include "NameMap.h"

#include "llvm/Support/FormatVariadic.h"

using namespace k3;
using llvm::StringRef;
using Shape = llvm::SmallVector<int64_t, 3>;

namespace {
class Planner {
public:
  Planner(const ModelConfig &config, const TensorTable &table,
          std::vector<PlannedWeight> &plan)
      : config(config), table(table), names(NameMap::detect(table)),
        plan(plan) {}

  Status run();

private:
  /// A weight under its usual name, "SYMBOL.weight".
  PlannedWeight &weight(const std::string &symbol, Shape shape) {
    return tensor(symbol, {symbol + ".weight"}, std::move(shape));
  }
  /// A tensor under the first of `spellings` that the checkpoint has.
  PlannedWeight &tensor(const std::string &symbol,
                        llvm::ArrayRef<std::string> spellings, Shape shape,
                        int64_t stack = 0);
  void norm(const std::string &symbol, int64_t width) {
    weight(symbol, {width});
  }

  void planKda(const std::string &attn);
  void planMla(const std::string &attn);
  void planMlp(const std::string &symbol, const std::string &other,
               int64_t width);
  void planResidualMix(const std::string &symbol);
  Status planMoe(const std::string &layer);
  Status planExperts(const std::string &layer, const char *projection,
                     int64_t out, int64_t in);
  Status planLayer(int64_t index);

  const ModelConfig &config;
  const TensorTable &table;
  NameMap names;
  std::vector<PlannedWeight> &plan;
};
} // namespace

PlannedWeight &Planner::tensor(const std::string &symbol,
                               llvm::ArrayRef<std::string> spellings,
                               Shape shape, int64_t stack) {
  llvm::SmallVector<std::string> full;
  for (const std::string &spelling : spellings)
    full.push_back(names.full(spelling));
  PlannedWeight weight;
  weight.symbol = symbol;
  weight.source = pickName(table, full, stack);
  weight.stored = shape;
  weight.shape = std::move(shape);
  weight.stack = stack;
  return plan.emplace_back(std::move(weight));
}

void Planner::planKda(const std::string &attn) {
  const KdaConfig &kda = config.kda;
  int64_t hidden = config.hiddenSize, width = kda.heads * kda.headDim;
  for (const char *side : {"q", "k", "v"}) {
    weight(attn + side + "_proj", {width, hidden});
    PlannedWeight &conv =
        weight(attn + side + "_conv1d", {width, kda.convWidth});
    conv.stored = {width, 1, kda.convWidth};
    conv.rule = ElementRule::Float32;
  }
  weight(attn + "f_a_proj", {kda.headDim, hidden});
  weight(attn + "f_b_proj", {width, kda.headDim});
  weight(attn + "b_proj", {kda.heads, hidden});
  PlannedWeight &aLog = tensor(attn + "A_log", {attn + "A_log"}, {kda.heads});
  aLog.rule = ElementRule::Float32;
  aLog.prefix = true;
  PlannedWeight &bias =
      tensor(attn + "dt_bias", {attn + "dt_bias"}, {kda.heads, kda.headDim});
  bias.stored = {width};
  bias.rule = ElementRule::Float32;
  if (kda.fullRankGate) {
    weight(attn + "g_proj", {width, hidden});
  } else {
    weight(attn + "g_a_proj", {kda.headDim, hidden});
    weight(attn + "g_b_proj", {width, kda.headDim});
  }
  weight(attn + "o_norm", {kda.headDim}).rule = ElementRule::Float32;
  weight(attn + "o_proj", {hidden, width});
}

void Planner::planMla(const std::string &attn) {
  const MlaConfig &mla = config.mla;
  int64_t hidden = config.hiddenSize;
  int64_t queries = mla.heads * (mla.nopeDim + mla.ropeDim);
  int64_t values = mla.heads * mla.valueDim;
  if (mla.qLoraRank) {
    weight(attn + "q_a_proj", {*mla.qLoraRank, hidden});
    norm(attn + "q_a_layernorm", *mla.qLoraRank);
    weight(attn + "q_b_proj", {queries, *mla.qLoraRank});
  } else {
    weight(attn + "q_proj", {queries, hidden});
  }
  weight(attn + "kv_a_proj_with_mqa", {mla.kvLoraRank + mla.ropeDim, hidden});
  norm(attn + "kv_a_layernorm", mla.kvLoraRank);
  weight(attn + "kv_b_proj",
         {mla.heads * (mla.nopeDim + mla.valueDim), mla.kvLoraRank});
  if (mla.outputGate)
    weight(attn + "g_proj", {values, hidden});
  weight(attn + "o_proj", {hidden, values});
}

/// `other` is a second spelling of `symbol`, or empty.
void Planner::planMlp(const std::string &symbol, const std::string &other,
                      int64_t width) {
  for (StringRef side : {"gate_proj", "up_proj", "down_proj"}) {
    Shape shape = {width, config.hiddenSize};
    if (side == "down_proj")
      std::swap(shape[0], shape[1]);
    std::string name = symbol + side.str();
    llvm::SmallVector<std::string> spellings = {name + ".weight"};
    if (!other.empty())
      spellings.push_back(other + side.str() + ".weight");
    tensor(name, spellings, shape);
  }
}

Status Planner::planExperts(const std::string &layer, const char *projection,
                            int64_t out, int64_t in) {
  std::string symbol = layer + "block_sparse_moe.experts." + projection;
  std::string tail = std::string("experts.{}.") + projection + ".weight";
  std::string moe = layer + "block_sparse_moe." + tail;
  std::string mlp = layer + "mlp." + tail;
  llvm::SmallVector<std::string> spellings = {moe + "_packed", mlp + "_packed",
                                              moe, mlp};
  if (!config.moe.packed)
    std::rotate(spellings.begin(), spellings.begin() + 2, spellings.end());
  PlannedWeight &weights =
      tensor(symbol, spellings, {out, in}, config.moe.experts);
  if (!StringRef(weights.source).ends_with("_packed"))
    return {};
  if (in % 32 != 0)
    return importError(
        ImportUnsupported,
        llvm::formatv("'{0}': {1} inputs an output (wanted a multiple of 32 "
                      "for MXFP4)",
                      weights.source, in));
  weights.rule = ElementRule::Bytes;
  weights.shape = weights.stored = {out, in / 2};
  PlannedWeight &scales =
      tensor(symbol + ".scale", {moe + "_scale", mlp + "_scale"},
             {out, in / 32}, config.moe.experts);
  scales.rule = ElementRule::Bytes;
  return {};
}

Status Planner::planMoe(const std::string &layer) {
  const MoeConfig &moe = config.moe;
  int64_t hidden = config.hiddenSize;
  int64_t latent = moe.latentSize.value_or(hidden);
  auto spelled = [&](const std::string &name, Shape shape,
                     StringRef suffix = ".weight") -> PlannedWeight & {
    std::string symbol = layer + "block_sparse_moe." + name;
    return tensor(symbol,
                  {symbol + suffix.str(), layer + "mlp." + name + suffix.str()},
                  std::move(shape));
  };
  spelled("gate", {moe.experts, hidden});
  spelled("gate.e_score_correction_bias", {moe.experts}, "").rule =
      ElementRule::Float32;
  if (moe.latentSize) {
    spelled("routed_expert_down_proj", {latent, hidden});
    spelled("routed_expert_up_proj", {hidden, latent});
    if (moe.latentNorm)
      spelled("routed_expert_norm", {latent});
  }
  if (moe.sharedExperts > 0)
    planMlp(layer + "block_sparse_moe.shared_experts.",
            layer + "mlp.shared_experts.",
            moe.sharedExperts * moe.intermediateSize);
  K3_TRY(planExperts(layer, "w1", moe.intermediateSize, latent));
  K3_TRY(planExperts(layer, "w3", moe.intermediateSize, latent));
  return planExperts(layer, "w2", latent, moe.intermediateSize);
}

void Planner::planResidualMix(const std::string &symbol) {
  norm(symbol + "_norm", config.hiddenSize);
  weight(symbol + "_proj", {config.hiddenSize}).stored = {1, config.hiddenSize};
}

Status Planner::planLayer(int64_t index) {
  std::string layer = "layers." + std::to_string(index) + ".";
  norm(layer + "input_layernorm", config.hiddenSize);
  norm(layer + "post_attention_layernorm", config.hiddenSize);
  if (config.attnResBlock) {
    planResidualMix(layer + "self_attention_res");
    planResidualMix(layer + "mlp_res");
  }
  if (config.attention[index] == AttentionKind::Kda)
    planKda(layer + "self_attn.");
  else
    planMla(layer + "self_attn.");
  if (config.sparse[index])
    return planMoe(layer);
  // transformers' save_pretrained writes dense layers under the second name.
  planMlp(layer + "mlp.", layer + "block_sparse_moe.", config.intermediateSize);
  return {};
}

Status Planner::run() {
  weight("embed_tokens", {config.vocabSize, config.hiddenSize});
  for (int64_t index = 0; index < config.layers; ++index)
    K3_TRY(planLayer(index));
  if (config.attnResBlock)
    planResidualMix("output_attn_res");
  norm("norm", config.hiddenSize);
  std::string head = names.head("lm_head.weight");
  if (config.tiedEmbeddings && !table.contains(head))
    return {};
  PlannedWeight weight;
  weight.symbol = "lm_head";
  weight.source = head;
  weight.shape = weight.stored = {config.vocabSize, config.hiddenSize};
  plan.push_back(std::move(weight));
  return {};
}

Status k3::planWeights(const ModelConfig &config, const TensorTable &table,
                       std::vector<PlannedWeight> &plan) {
  return Planner(config, table, plan).run();
}
