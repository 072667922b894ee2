// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of the family as k3.delta_rule. docs/Numerics.md has the table.

#include "Cases.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::golden;

namespace {

/// One run of one recurrence over the first `tokens` tokens.
class RecurrenceCase {
public:
  RecurrenceCase(ManifestCase &entry, CaseList &list, int64_t tokens,
                 const std::string &suffix)
      : entry(entry), list(list), tokens(tokens),
        build(list.begin(entry, suffix)), batch(entry.number("B")),
        heads(entry.number("H")), valueHeads(entry.number("HV")),
        keyWidth(entry.number("K")), valueWidth(entry.number("V")),
        scale(1 / std::sqrt(entry.number("K"))) {}

  /// False when the model is none of these.
  bool operands();
  void finish(const std::string &suffix);

  ReadState readState = ReadState::Decayed;

private:
  Tensor tensor(StringRef name) { return packed(entry.input(name), tokens); }
  void given(StringRef name, Value &value) {
    value = build.rows(name, tensor(name));
  }
  void qkv() {
    given("q", q);
    given("k", k);
    given("v", v);
  }
  Value unit(Value x);
  Value gate(StringRef logits, Tensor aLog, Tensor bias, GateMap map);
  void delta() { // DeltaNet and what builds on it
    qkv();
    q = unit(q);
    k = unit(k);
    erase = Erase::Delta;
    write = Write::BetaValue;
  }
  void linearNorm();
  void mamba2();
  void hgrn2();
  void comba();
  void kda();
  void gdn2();
  void rwkv7();

  ManifestCase &entry;
  CaseList &list;
  int64_t tokens;
  CaseBuilder build;
  int64_t batch, heads, valueHeads, keyWidth, valueWidth;
  double scale;
  Decay decay = Decay::None;
  Erase erase = Erase::None;
  Write write = Write::Value;
  std::optional<double> normalizerEps;
  Value q, k, v, g, beta, a, b, normalizer;
};

} // namespace

/// A function of every element.
template <class Function> static Tensor mapped(Tensor x, Function each) {
  for (auto [i, value] : llvm::enumerate(x.reals))
    value = each(value, int64_t(i));
  return x;
}

static double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

Value RecurrenceCase::unit(Value x) {
  auto type = build.fp32Type(
      cast<RankedTensorType>(x.getType()).getShape().drop_front());
  OpBuilder &b = build.builder();
  return L2NormOp::create(b, build.loc(), type, x, b.getF64FloatAttr(1e-6),
                          b.getF64FloatAttr(1));
}

Value RecurrenceCase::gate(StringRef logits, Tensor aLog, Tensor bias,
                           GateMap map) {
  OpBuilder &b = build.builder();
  Value z = build.rows(logits, tensor(logits));
  auto type = build.fp32Type(
      cast<RankedTensorType>(z.getType()).getShape().drop_front());
  FloatAttr bound;
  if (map == GateMap::Bounded)
    bound = b.getF64FloatAttr(entry.number("lower_bound"));
  return GateOp::create(
      b, build.loc(), type, z, build.fixed("A_log", std::move(aLog)),
      build.fixed("dt_bias", std::move(bias)),
      GateMapAttr::get(b.getContext(), map), bound, FloatAttr());
}

void RecurrenceCase::linearNorm() {
  auto phi = [](double x, int64_t) { return x > 0 ? x + 1 : std::exp(x); };
  q = build.fp32("q", mapped(tensor("q"), phi));
  k = build.fp32("k", mapped(tensor("k"), phi));
  given("v", v);
  normalizerEps = 1e-10;
  normalizer = build.fp32(
      "z0", reshaped(entry.input("z0"), {batch, valueHeads, keyWidth}));
}

void RecurrenceCase::mamba2() {
  qkv();
  Tensor bias = entry.input("dt_bias_h");
  beta = build.fp32("dt", mapped(tensor("a_logit"), [&](double x, int64_t i) {
                      return std::log1p(std::exp(x + bias.reals[i % heads]));
                    }));
  g = gate("a_logit", entry.input("A_log"), bias, GateMap::Softplus);
  decay = Decay::Head;
  write = Write::BetaValue;
  scale = 1;
}

void RecurrenceCase::hgrn2() {
  Tensor lower = entry.input("lower");
  int64_t width = heads * keyWidth;
  q = build.rows("q", mapped(tensor("q"), [](double x, int64_t) {
                   return x * sigmoidOf(x);
                 }));
  given("v", v);
  g = build.fp32("g", mapped(tensor("z"), [&](double x, int64_t i) {
                   double bound = lower.reals[i % width];
                   return std::log(bound + (1 - bound) * sigmoidOf(x));
                 }));
  decay = Decay::Channel;
  write = Write::TiedKey;
}

void RecurrenceCase::comba() {
  Tensor query = tensor("q"), key = tensor("k"), p = key;
  if (entry.hasInput("u1")) {
    p = tensor("u1");
  } else {
    Tensor rate = entry.input("decay_h"), correction = entry.input("D_h");
    auto head = [&](int64_t i) { return i / keyWidth % heads; };
    p = mapped(key, [&](double x, int64_t i) {
      return x * sigmoidOf(rate.reals[head(i)]);
    });
    query = mapped(query, [&](double x, int64_t i) {
      return x - correction.reals[head(i)] * p.reals[i];
    });
  }
  q = unit(build.fp32("q", std::move(query)));
  k = unit(build.rows("k", std::move(key)));
  given("v", v);
  g = build.fp32("g", tensor("g"));
  beta = build.fp32("beta", tensor("beta"));
  a = unit(build.fp32("p", std::move(p)));
  decay = Decay::Head;
  erase = Erase::OwnKey;
  write = Write::BetaValue;
}

void RecurrenceCase::kda() {
  delta();
  bool bounded = entry.hasInput("A_log_k3");
  Tensor aLog = entry.input(bounded ? "A_log_k3" : "A_log");
  Tensor bias = reshaped(entry.input(bounded ? "dt_bias_k3" : "dt_bias"),
                         {valueHeads, keyWidth});
  g = gate("z", std::move(aLog), std::move(bias),
           bounded ? GateMap::Bounded : GateMap::Softplus);
  Value logit = build.rows("beta_logit", tensor("beta_logit"));
  beta = SigmoidOp::create(build.builder(), build.loc(),
                           build.fp32Type({valueHeads}), logit,
                           build.builder().getF64FloatAttr(1));
  decay = Decay::Channel;
}

void RecurrenceCase::gdn2() {
  // S <- D S + k (w . v - (D S)^T (b . k))^T, the keys of unit length.
  auto normalize = [&](Tensor x) {
    for (int64_t i = 0; i < x.count(); i += keyWidth) {
      double sum = 1e-6;
      for (int64_t j = 0; j < keyWidth; ++j)
        sum += x.reals[i + j] * x.reals[i + j];
      for (int64_t j = 0; j < keyWidth; ++j)
        x.reals[i + j] /= std::sqrt(sum);
    }
    return x;
  };
  Tensor key = normalize(tensor("k")), eraseGate = tensor("s1");
  Tensor writeGate = tensor("s2");
  given("q", q);
  q = unit(q);
  k = build.fp32("k", key);
  v = build.fp32("v", mapped(tensor("v"), [&](double x, int64_t i) {
                   return x * writeGate.reals[i];
                 }));
  g = build.fp32("g", tensor("gk"));
  a = build.fp32("a", mapped(key, [&](double x, int64_t i) {
                   return x * eraseGate.reals[i];
                 }));
  b = build.fp32("b", mapped(key, [](double x, int64_t) { return -x; }));
  decay = Decay::Channel;
  erase = Erase::LowRank;
}

void RecurrenceCase::rwkv7() {
  qkv();
  Tensor kk = tensor("u1"), rate = tensor("s1");
  g = build.fp32("w", tensor("w"));
  a = build.fp32("a", mapped(kk, [](double x, int64_t) { return -x; }));
  b = build.fp32(
      "b", mapped(kk, [&](double x, int64_t i) { return x * rate.reals[i]; }));
  decay = Decay::Channel;
  erase = Erase::LowRank;
  readState = ReadState::Undecayed;
  scale = 1;
}

bool RecurrenceCase::operands() {
  std::string model = entry.model();
  if (model == "linear") {
    qkv();
  } else if (model == "linear_norm") {
    linearNorm();
  } else if (model == "retnet") {
    qkv();
    Tensor rates = Tensor::ofReals({heads});
    for (int64_t h = 0; h < heads; ++h)
      rates.reals[h] = std::log1p(-std::exp2(-5.0 - h));
    g = build.fixed("g", std::move(rates));
    decay = Decay::HeadConstant;
  } else if (model == "mamba2") {
    mamba2();
  } else if (model == "gla") {
    qkv();
    g = build.fp32("g", tensor("gk"));
    decay = Decay::Channel;
  } else if (model == "hgrn2") {
    hgrn2();
  } else if (model == "deltanet") {
    delta();
    beta = build.fp32("beta", tensor("beta"));
  } else if (model == "gdn") {
    delta();
    decay = Decay::Head;
    if (entry.hasInput("g")) {
      g = build.fp32("g", tensor("g"));
      beta = build.fp32("beta", tensor("beta"));
    } else {
      g = gate("a_logit", entry.input("A_log"), entry.input("dt_bias_h"),
               GateMap::Softplus);
      Value logit = build.rows("beta_logit", tensor("beta_logit"));
      beta = SigmoidOp::create(build.builder(), build.loc(),
                               build.fp32Type({valueHeads}), logit,
                               build.builder().getF64FloatAttr(1));
    }
  } else if (model == "comba") {
    comba();
    readState = ReadState::Undecayed;
  } else if (model == "kda") {
    kda();
  } else if (model == "gdn2") {
    gdn2();
  } else if (model == "rwkv7") {
    rwkv7();
  } else if (model == "dplr") {
    qkv();
    g = build.fp32("g", tensor("gk"));
    a = build.rows("a", tensor("u1"));
    b = build.rows("b", tensor("u2"));
    decay = Decay::Channel;
    erase = Erase::LowRank;
    readState = ReadState::Undecayed;
  } else {
    return false;
  }
  return true;
}

/// Adds the op and what it must give. `suffix` names outputs of a variant.
void RecurrenceCase::finish(const std::string &suffix) {
  Value state = build.fp32("h0", entry.input("h0"));
  std::vector<int32_t> bounds = entry.numbers("cu_seqlens");
  if (bounds.empty()) {
    build.sequences(batch, tokens, 1);
  } else {
    std::vector<int32_t> places, lengths(bounds.size() - 1, 1);
    for (size_t n = 0; n + 1 < bounds.size(); ++n)
      places.push_back(int32_t(n));
    build.sequences(bounds, places, lengths);
  }
  OpBuilder &builder = build.builder();
  MLIRContext *context = builder.getContext();
  auto rule = DeltaRuleOp::create(
      builder, build.loc(), build.rowsType({valueHeads, valueWidth}),
      state.getType(), normalizer ? normalizer.getType() : Type(), q, k, v, g,
      beta, a, b, state, normalizer, build.cuSeqlens, build.slots,
      build.contextLens, DecayAttr::get(context, decay),
      EraseAttr::get(context, erase), WriteAttr::get(context, write),
      ReadStateAttr::get(context, readState), builder.getF64FloatAttr(scale),
      builder.getBoolAttr(false),
      normalizerEps ? builder.getF64FloatAttr(*normalizerEps) : FloatAttr());
  build.result("o", rule.getO(), packed(entry.output("o" + suffix), tokens));
  std::string sweep = "ht_T" + std::to_string(tokens);
  if (entry.hasOutput("ht_b1"))
    build.result("ht", rule.getNewState(), entry.output("ht_b1"), 1);
  else
    build.result("ht", rule.getNewState(),
                 entry.output(entry.hasOutput(sweep) ? sweep : "ht" + suffix));
  if (normalizer)
    build.result("zt", rule.getNewNormalizerState(),
                 reshaped(entry.output("zt"), {batch, valueHeads, keyWidth}));
  list.end(entry, build);
}

bool k3::golden::addRecurrence(ManifestCase &entry, CaseList &list) {
  std::vector<int32_t> lengths = entry.numbers("sweep");
  if (lengths.empty())
    lengths = {int32_t(entry.number("T"))};
  for (int32_t tokens : lengths) {
    std::string suffix =
        lengths.size() > 1 ? "_T" + std::to_string(tokens) : "";
    RecurrenceCase made(entry, list, tokens, suffix);
    if (!made.operands())
      return false;
    made.finish("");
  }
  if (entry.hasOutput("o_decayed_read")) {
    RecurrenceCase made(entry, list, lengths[0], "_decayed_read");
    made.operands();
    made.readState = ReadState::Decayed;
    made.finish("_decayed_read");
  }
  return true;
}
