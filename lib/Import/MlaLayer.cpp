// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multi-head latent attention without rotation, gated when configured.

#include "EntryBuilder.h"

#include <cmath>

using namespace mlir;
using namespace k3;

/// q_a_layernorm and kv_a_layernorm are made without an eps argument in the
/// released code, so theirs is the class default, not rms_norm_eps.
static constexpr double latentNormEps = 1.0e-6;

void k3::listMlaStates(const ModelConfig &config, Type activation,
                       const std::string &layer, StateList &states) {
  int64_t width = config.mla.kvLoraRank + config.mla.ropeDim;
  states.push_back(
      {layer + "latent_cache",
       RankedTensorType::get({ShapedType::kDynamic, width}, activation)});
}

static Value buildQueries(EntryBuilder &entry, Value x,
                          const std::string &attn) {
  const MlaConfig &mla = entry.config.mla;
  std::string last = attn + (mla.qLoraRank ? "q_b_proj" : "q_proj");
  if (mla.qLoraRank)
    x = entry.norm(entry.linear(x, attn + "q_a_proj"), attn + "q_a_layernorm",
                   latentNormEps);
  return entry.splitHeads(entry.linear(x, last), mla.heads, last);
}

/// Appends the call's rows to the cache and returns it.
static Value buildCache(EntryBuilder &entry, Value x,
                        const std::string &layer) {
  OpBuilder &builder = entry.builder;
  const MlaConfig &mla = entry.config.mla;
  std::string attn = layer + "self_attn.", symbol = layer + "latent_cache";
  std::string project = attn + "kv_a_proj_with_mqa";
  Value both = entry.linear(x, project);
  Value latent =
      SliceOp::create(builder, entry.at(project), entry.rows(mla.kvLoraRank),
                      both, builder.getI64IntegerAttr(0));
  Value kRot =
      SliceOp::create(builder, entry.at(project), entry.rows(mla.ropeDim), both,
                      builder.getI64IntegerAttr(mla.kvLoraRank));
  latent = entry.norm(latent, attn + "kv_a_layernorm", latentNormEps);
  Value before = entry.state(symbol);
  Value cache = LatentAppendOp::create(
      builder, entry.at(symbol), before.getType(), latent, kRot, before,
      entry.cuSeqlens, entry.slots, entry.contextLens);
  entry.setState(symbol, cache);
  return cache;
}

Value k3::buildMla(EntryBuilder &entry, Value x, const std::string &layer) {
  OpBuilder &builder = entry.builder;
  const MlaConfig &mla = entry.config.mla;
  std::string attn = layer + "self_attn.";
  Value q = buildQueries(entry, x, attn);
  Value cache = buildCache(entry, x, layer);
  double scale = 1.0 / std::sqrt(double(mla.nopeDim + mla.ropeDim));
  Value o = LatentAttentionOp::create(
      builder, entry.at(attn + "attention"),
      entry.rows({mla.heads, mla.valueDim}), q,
      entry.weight(attn + "kv_b_proj"), cache, entry.cuSeqlens, entry.slots,
      entry.contextLens, builder.getI64IntegerAttr(mla.nopeDim),
      builder.getF64FloatAttr(scale));
  o = entry.joinHeads(o, attn + "attention");
  if (mla.outputGate)
    o = OutputGateOp::create(
        builder, entry.at(attn + "output_gate"), o.getType(), o,
        entry.linear(x, attn + "g_proj"),
        ActivationAttr::get(builder.getContext(), Activation::Sigmoid));
  return entry.linear(o, attn + "o_proj");
}
