// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short convolution, with the state of W inputs and of W - 1.

#include "Cases.h"

using namespace mlir;
using namespace k3;
using namespace k3::golden;

/// The last `kept` of the W inputs that a golden state holds.
static Tensor youngest(const Tensor &state, int64_t kept) {
  int64_t width = state.shape[2], channels = state.shape[0] * state.shape[1];
  Tensor out = Tensor::ofReals({state.shape[0], state.shape[1], kept});
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t j = 0; j < kept; ++j)
      out.reals[c * kept + j] = state.reals[c * width + width - kept + j];
  return out;
}

static void addRun(ManifestCase &entry, CaseList &list, int64_t tokens,
                   int64_t kept, StringRef finalState, std::string suffix) {
  CaseBuilder build = list.begin(entry, suffix + "_S" + std::to_string(kept));
  OpBuilder &b = build.builder();
  Tensor all = entry.input("x"), golden = entry.output(finalState);
  Value x = build.rows("x", packed(all, tokens));
  Value weight = build.fixed("w", entry.input("w"));
  bool hasState = entry.hasInput("h0");
  // Without a state the sequence is fresh and what the slot holds is not read.
  Tensor before = hasState ? entry.input("h0") : golden;
  Value state = build.fp32("h0", youngest(before, kept));
  std::vector<int32_t> bounds = entry.numbers("cu_seqlens");
  if (bounds.empty())
    build.sequences(all.shape[0], tokens, hasState);
  else
    build.sequences(bounds, {0, 1, 2, 3}, {1, 1, 1, 1});
  auto conv = ShortConvOp::create(
      b, build.loc(), x.getType(), state.getType(), x, weight, state,
      build.cuSeqlens, build.slots, build.contextLens, Value(),
      ActivationAttr::get(b.getContext(), Activation::Silu));
  build.result("y", conv.getY(), packed(entry.output("y"), tokens));
  build.result("state", conv.getNewState(), youngest(golden, kept));
  list.end(entry, build);
}

bool k3::golden::addShortConv(ManifestCase &entry, CaseList &list) {
  if (entry.model() != "shortconv")
    return false;
  for (int64_t kept : {3, 4}) {
    for (int32_t tokens : entry.numbers("sweep")) {
      std::string suffix = "_T" + std::to_string(tokens);
      addRun(entry, list, tokens, kept, "state" + suffix, suffix);
    }
    if (entry.hasOutput("state"))
      addRun(entry, list, entry.input("x").shape[1], kept, "state", "");
  }
  return true;
}
