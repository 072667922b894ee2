// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kimi delta attention: three short convolutions, L2-normalised q and k, a
// decay per key channel, the delta rule and a gated norm.

#include "EntryBuilder.h"

#include <cmath>

using namespace mlir;
using namespace k3;

static std::string convState(const std::string &layer, const char *side) {
  return layer + "conv_state." + side;
}

void k3::listKdaStates(const ModelConfig &config, Type activation,
                       const std::string &layer, StateList &states) {
  const KdaConfig &kda = config.kda;
  auto conv = RankedTensorType::get(
      {kda.heads * kda.headDim, kda.convWidth - 1}, activation);
  for (const char *side : {"q", "k", "v"})
    states.push_back({convState(layer, side), conv});
  states.push_back(
      {layer + "kda_state",
       RankedTensorType::get({kda.heads, kda.headDim, kda.headDim},
                             Float32Type::get(activation.getContext()))});
}

/// silu(conv(x W)) seen as heads; `side` is q, k or v.
static Value buildConvolved(EntryBuilder &entry, Value x,
                            const std::string &layer, const char *side) {
  OpBuilder &builder = entry.builder;
  std::string attn = layer + "self_attn." + side;
  std::string symbol = convState(layer, side);
  Value projected = entry.linear(x, attn + "_proj");
  Value before = entry.state(symbol);
  auto conv = ShortConvOp::create(
      builder, entry.at(attn + "_conv1d"), projected.getType(),
      before.getType(), projected, entry.weight(attn + "_conv1d"), before,
      entry.cuSeqlens, entry.slots, entry.contextLens, Value(),
      ActivationAttr::get(builder.getContext(), Activation::Silu));
  entry.setState(symbol, conv.getNewState());
  return entry.splitHeads(conv.getY(), entry.config.kda.heads,
                          attn + "_conv1d");
}

static Value buildL2Norm(EntryBuilder &entry, Value x, double scale,
                         const std::string &name) {
  auto type = cast<RankedTensorType>(x.getType());
  // eps is added to the sum of squares; fla and the released code use 1e-6.
  return L2NormOp::create(entry.builder, entry.at(name),
                          type.clone(entry.f32()), x,
                          entry.builder.getF64FloatAttr(1.0e-6),
                          entry.builder.getF64FloatAttr(scale));
}

/// Log-decay of each key channel.
static Value buildDecay(EntryBuilder &entry, Value x, const std::string &attn) {
  OpBuilder &builder = entry.builder;
  const KdaConfig &kda = entry.config.kda;
  Value z = entry.linear(entry.linear(x, attn + "f_a_proj"), attn + "f_b_proj");
  z = entry.splitHeads(z, kda.heads, attn + "f_b_proj");
  bool bounded = kda.gateLowerBound.has_value();
  FloatAttr bound =
      bounded ? builder.getF64FloatAttr(*kda.gateLowerBound) : FloatAttr();
  return GateOp::create(
      builder, entry.at(attn + "decay"),
      entry.rows({kda.heads, kda.headDim}, entry.f32()), z,
      entry.weight(attn + "A_log"), entry.weight(attn + "dt_bias"),
      GateMapAttr::get(builder.getContext(),
                       bounded ? GateMap::Bounded : GateMap::Softplus),
      bound, FloatAttr());
}

/// Write strength of each head, in fp32 from the logit on.
static Value buildBeta(EntryBuilder &entry, Value x, const std::string &attn) {
  Value logit = entry.linear(x, attn + "b_proj");
  return SigmoidOp::create(entry.builder, entry.at(attn + "beta"),
                           entry.rows(entry.config.kda.heads, entry.f32()),
                           logit, entry.builder.getF64FloatAttr(1.0));
}

static Value buildRecurrence(EntryBuilder &entry, Value x,
                             const std::string &layer) {
  OpBuilder &builder = entry.builder;
  MLIRContext *context = builder.getContext();
  const KdaConfig &kda = entry.config.kda;
  std::string attn = layer + "self_attn.", symbol = layer + "kda_state";
  Value q = buildConvolved(entry, x, layer, "q");
  Value k = buildConvolved(entry, x, layer, "k");
  Value v = buildConvolved(entry, x, layer, "v");
  q = buildL2Norm(entry, q, 1.0 / std::sqrt(double(kda.headDim)),
                  attn + "q_norm");
  k = buildL2Norm(entry, k, 1.0, attn + "k_norm");
  Value decay = buildDecay(entry, x, attn);
  Value beta = buildBeta(entry, x, attn);
  Value before = entry.state(symbol);
  auto rule = DeltaRuleOp::create(
      builder, entry.at(attn + "delta_rule"),
      entry.rows({kda.heads, kda.headDim}, entry.f32()), before.getType(),
      Type(), q, k, v, decay, beta, Value(), Value(), before, Value(),
      entry.cuSeqlens, entry.slots, entry.contextLens,
      DecayAttr::get(context, Decay::Channel),
      EraseAttr::get(context, Erase::Delta),
      WriteAttr::get(context, Write::BetaValue),
      ReadStateAttr::get(context, ReadState::Decayed),
      builder.getF64FloatAttr(1.0), builder.getBoolAttr(true), FloatAttr());
  entry.setState(symbol, rule.getNewState());
  return rule.getO();
}

Value k3::buildKda(EntryBuilder &entry, Value x, const std::string &layer) {
  OpBuilder &builder = entry.builder;
  const KdaConfig &kda = entry.config.kda;
  std::string attn = layer + "self_attn.";
  Value o = buildRecurrence(entry, x, layer);
  std::string last = attn + (kda.fullRankGate ? "g_proj" : "g_b_proj");
  Value gate = kda.fullRankGate ? x : entry.linear(x, attn + "g_a_proj");
  gate = entry.splitHeads(entry.linear(gate, last), kda.heads, last);
  Value normed = GatedRMSNormOp::create(
      builder, entry.at(attn + "o_norm"), entry.rows({kda.heads, kda.headDim}),
      o, gate, entry.weight(attn + "o_norm"),
      builder.getF64FloatAttr(entry.config.normEps),
      ActivationAttr::get(builder.getContext(), Activation::Sigmoid));
  return entry.linear(entry.joinHeads(normed, attn + "o_norm"),
                      attn + "o_proj");
}
