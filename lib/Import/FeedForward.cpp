// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense MLPs, and routed experts (in a latent space or not) with shared ones.

#include "EntryBuilder.h"

using namespace mlir;
using namespace k3;

static Value buildGlu(EntryBuilder &entry, Value gate, Value up,
                      const std::string &name) {
  OpBuilder &builder = entry.builder;
  const GluConfig &glu = entry.config.glu;
  if (!glu.situ)
    return SwigluOp::create(builder, entry.at(name), gate.getType(), gate, up);
  FloatAttr linearBeta =
      glu.linearBeta ? builder.getF64FloatAttr(*glu.linearBeta) : FloatAttr();
  return SituGluOp::create(builder, entry.at(name), gate.getType(), gate, up,
                           builder.getF64FloatAttr(glu.beta), linearBeta);
}

Value k3::buildMlp(EntryBuilder &entry, Value x, const std::string &symbol) {
  Value gate = entry.linear(x, symbol + "gate_proj");
  Value up = entry.linear(x, symbol + "up_proj");
  return entry.linear(buildGlu(entry, gate, up, symbol + "glu"),
                      symbol + "down_proj");
}

static RouterOp buildRouter(EntryBuilder &entry, Value x,
                            const std::string &moe) {
  OpBuilder &builder = entry.builder;
  const MoeConfig &config = entry.config.moe;
  Value logits = entry.linear(x, moe + "gate", entry.f32());
  return RouterOp::create(builder, entry.at(moe + "router"),
                          entry.rows(config.topK, builder.getI32Type()),
                          entry.rows(config.topK, entry.f32()), logits,
                          entry.weight(moe + "gate.e_score_correction_bias"),
                          builder.getStringAttr(config.routerActivation),
                          builder.getI64IntegerAttr(config.topK),
                          builder.getI64IntegerAttr(config.groups),
                          builder.getI64IntegerAttr(config.topKGroups),
                          builder.getBoolAttr(config.renormalize),
                          builder.getF64FloatAttr(config.scalingFactor));
}

static Value buildExperts(EntryBuilder &entry, Value z, RouterOp router,
                          const std::string &moe) {
  OpBuilder &builder = entry.builder;
  const GluConfig &glu = entry.config.glu;
  std::string experts = moe + "experts.";
  SmallVector<Value> weights, scales;
  for (const char *side : {"w1", "w3", "w2"}) {
    weights.push_back(entry.weight(experts + side));
    if (entry.hasWeight(experts + side + ".scale"))
      scales.push_back(entry.weight(experts + side + ".scale"));
  }
  FloatAttr beta, linearBeta;
  if (glu.situ)
    beta = builder.getF64FloatAttr(glu.beta);
  if (glu.linearBeta)
    linearBeta = builder.getF64FloatAttr(*glu.linearBeta);
  return LatentExpertsOp::create(
      builder, entry.at(moe + "experts"), z.getType(), z, router.getIds(),
      router.getWeights(), weights[0], weights[1], weights[2], scales,
      GluKindAttr::get(builder.getContext(),
                       glu.situ ? GluKind::Situ : GluKind::Swiglu),
      beta, linearBeta);
}

Value k3::buildMoe(EntryBuilder &entry, Value x, const std::string &layer) {
  const MoeConfig &config = entry.config.moe;
  std::string moe = layer + "block_sparse_moe.";
  RouterOp router = buildRouter(entry, x, moe);
  Value z =
      config.latentSize ? entry.linear(x, moe + "routed_expert_down_proj") : x;
  Value y = buildExperts(entry, z, router, moe);
  if (config.latentNorm)
    y = entry.norm(y, moe + "routed_expert_norm");
  if (config.latentSize)
    y = entry.linear(y, moe + "routed_expert_up_proj");
  if (config.sharedExperts > 0)
    y = entry.add(y, buildMlp(entry, x, moe + "shared_experts."),
                  moe + "shared_experts.add");
  return y;
}
