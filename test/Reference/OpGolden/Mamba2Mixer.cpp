// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole Mamba2 mixer of k3 ops: groups, convolution with bias, skip, norm.

#include "Cases.h"

using namespace mlir;
using namespace k3;
using namespace k3::golden;

// The sizes of the case.
constexpr int64_t mixerHeads = 4, headWidth = 16, stateWidth = 16, groups = 2,
                  inner = mixerHeads * headWidth, part = groups * stateWidth,
                  channels = inner + 2 * part, convWidth = 4;

namespace {

struct Mixer {
  ManifestCase &entry;
  CaseBuilder build;

  OpBuilder &b() { return build.builder(); }
  Value linear(Value x, StringRef name, Tensor weight) {
    auto type = build.fp32Type({weight.rows()});
    return LinearOp::create(b(), build.loc(), type, x,
                            build.fixed(name, std::move(weight)),
                            PackingAttr());
  }
  Value slice(Value x, int64_t offset, int64_t width) {
    return SliceOp::create(b(), build.loc(), build.fp32Type({width}), x,
                           b().getI64IntegerAttr(offset));
  }
  Value heads(Value x, int64_t count, int64_t width) {
    return ReshapeOp::create(b(), build.loc(), build.fp32Type({count, width}),
                             x);
  }
  Value convolution(Value x);
  Value gate(Value dt, Value aLog, Value bias) {
    return GateOp::create(b(), build.loc(), build.fp32Type({mixerHeads}), dt,
                          aLog, bias,
                          GateMapAttr::get(b().getContext(), GateMap::Softplus),
                          FloatAttr(), FloatAttr());
  }
  Value recurrence(Value xbc, Value dt);
};

} // namespace

Value Mixer::convolution(Value x) {
  Value state =
      build.fp32("conv_state", Tensor::ofReals({2, channels, convWidth - 1}));
  auto conv = ShortConvOp::create(
      b(), build.loc(), x.getType(), state.getType(), x,
      build.fixed("conv_weight", reshaped(entry.input("conv1d_weight"),
                                          {channels, convWidth})),
      state, build.cuSeqlens, build.slots, build.contextLens,
      build.fixed("conv_bias", entry.input("conv1d_bias")),
      ActivationAttr::get(b().getContext(), Activation::Silu));
  return conv.getY();
}

Value Mixer::recurrence(Value xbc, Value dt) {
  MLIRContext *context = b().getContext();
  Value bias = build.fixed("dt_bias", entry.input("dt_bias"));
  Value aLog = build.fixed("A_log", entry.input("A_log"));
  Value decay = gate(dt, aLog, bias);
  // Without A_log the gate is minus the step width softplus(dt + bias). The
  // state is then of the other sign, which a scale of -1 takes back.
  Value negativeStep = gate(dt, Value(), bias);
  Value state = build.fp32(
      "ssm_state", Tensor::ofReals({2, mixerHeads, stateWidth, headWidth}));
  auto rule = DeltaRuleOp::create(
      b(), build.loc(), build.fp32Type({mixerHeads, headWidth}),
      state.getType(), Type(),
      heads(slice(xbc, inner + part, part), groups, stateWidth),
      heads(slice(xbc, inner, part), groups, stateWidth),
      heads(slice(xbc, 0, inner), mixerHeads, headWidth), decay, negativeStep,
      Value(), Value(), state, Value(), build.cuSeqlens, build.slots,
      build.contextLens, DecayAttr::get(context, Decay::Head),
      EraseAttr::get(context, Erase::None),
      WriteAttr::get(context, Write::BetaValue),
      ReadStateAttr::get(context, ReadState::Decayed), b().getF64FloatAttr(-1),
      b().getBoolAttr(false), FloatAttr());
  return ReshapeOp::create(b(), build.loc(), build.fp32Type({inner}),
                           rule.getO());
}

bool k3::golden::addMamba2Mixer(ManifestCase &entry, CaseList &list) {
  if (entry.model() != "mamba2_mixer")
    return false;
  CaseBuilder begun(list.context, /*bf16=*/false, "mamba2_mixer/mixer_g2");
  Mixer mixer{entry, std::move(begun)};
  CaseBuilder &build = mixer.build;
  OpBuilder &b = build.builder();
  Tensor input = entry.input("x"), skip = entry.input("D");
  int64_t batch = input.shape[0], tokens = input.shape[1];
  Value x = build.fp32("x", packed(input));
  build.sequences(batch, tokens, 0);
  Value projected = mixer.linear(x, "in_proj", entry.input("in_proj_weight"));
  Value xbc = mixer.convolution(mixer.slice(projected, inner, channels));
  Value y = mixer.recurrence(
      xbc, mixer.slice(projected, inner + channels, mixerHeads));
  // The skip D x, D constant in a head, as a diagonal matrix.
  Tensor diagonal = Tensor::ofReals({inner, inner});
  for (int64_t i = 0; i < inner; ++i)
    diagonal.row(i)[i] = skip.reals[i / headWidth];
  y = AddOp::create(
      b, build.loc(), y.getType(), y,
      mixer.linear(mixer.slice(xbc, 0, inner), "D", std::move(diagonal)));
  y = OutputGateOp::create(
      b, build.loc(), y.getType(), y, mixer.slice(projected, 0, inner),
      ActivationAttr::get(b.getContext(), Activation::Silu));
  y = RMSNormOp::create(b, build.loc(), y.getType(), y,
                        build.fixed("norm", entry.input("norm_weight")),
                        b.getF64FloatAttr(1e-5), b.getBoolAttr(false));
  y = mixer.linear(y, "out_proj", entry.input("out_proj_weight"));
  build.result("y", y, packed(entry.output("y")));
  list.end(entry, build);
  return true;
}
