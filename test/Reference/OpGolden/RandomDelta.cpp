// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random well-formed k3.delta_rule programs.

#include "RandomDelta.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace k3::golden;
using namespace k3::reference;

RandomDelta::RandomDelta(unsigned seed) : engine(seed) {
  chooseSizes();
  chooseAttributes();
  chooseSequences();
  addOperands();
  write();
}

int64_t RandomDelta::pick(std::vector<int64_t> choices) {
  return choices[engine() % choices.size()];
}

// Not the library's distribution: that one may differ between libraries.
double RandomDelta::uniform(double low, double high) {
  return low + (high - low) * (double(engine() >> 11) * 0x1p-53);
}

void RandomDelta::chooseSizes() {
  heads = pick({1, 2});
  valueHeads = heads * pick({1, 1, 2});
  bool tiny = pick({0, 0, 0, 1});
  keyWidth = tiny ? pick({1, 3, 7}) : pick({8, 16, 24, 40});
  valueWidth = tiny ? pick({2, 5}) : pick({8, 16, 32, 40});
  tile = pick({4, 8, 16, 16});
  chunk = tile * pick({1, 2, 4});
}

void RandomDelta::chooseAttributes() {
  static const char *decays[] = {"none", "head_constant", "head", "channel"};
  static const char *erases[] = {"none", "delta", "own_key", "low_rank"};
  decay = decays[pick({0, 1, 2, 3, 3, 3})];
  erase = erases[pick({0, 1, 2, 3})];
  bool tied = decay == "channel" && (erase == "none" || erase == "low_rank") &&
              pick({0, 0, 1});
  rule = tied ? "tied_key" : pick({0, 1}) ? "value" : "beta_value";
  readState = pick({0, 1}) ? "decayed" : "undecayed";
  normalizes = pick({0, 0, 0, 1});
  vFirst = pick({0, 1});
  lower = -std::vector<double>{1e-4, 0.05, 1, 5}[pick({0, 1, 2, 3})];
  statesBounds = pick({0, 1, 1});
}

void RandomDelta::chooseSequences() {
  sequences = pick({1, 2, 3, 5});
  pool = sequences + 2;
  std::vector<int32_t> bounds = {0}, slots, lengths;
  for (int64_t n = 0; n < sequences; ++n) {
    int64_t length = pick({0, 1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 129});
    bounds.push_back(int32_t(bounds.back() + length));
    slots.push_back(pick({0, 0, 0, 1}) ? -1 : int32_t(pool - 1 - n));
    lengths.push_back(int32_t(pick({0, 3})));
  }
  if (bounds.back() < 2) // one row stays recurrent
    bounds.back() = 2;
  tokens = bounds.back();
  auto integers = [](std::vector<int32_t> list) {
    int64_t count = list.size();
    return share(Tensor::ofIntegers({count}, std::move(list)));
  };
  values = {{"cu_seqlens", integers(bounds)},
            {"slots", integers(slots)},
            {"context_lens", integers(lengths)}};
}

std::string RandomDelta::typeOf(llvm::ArrayRef<int64_t> shape,
                                bool fixed) const {
  std::string text = "tensor<";
  for (auto [i, size] : llvm::enumerate(shape))
    text += (i == 0 && !fixed ? "?" : std::to_string(size)) + "x";
  return text + "f32>";
}

void RandomDelta::operand(const std::string &word, const std::string &name,
                          llvm::ArrayRef<int64_t> shape, double low,
                          double high, bool fixed) {
  Tensor tensor = Tensor::ofReals(shape);
  for (double &value : tensor.reals)
    value = float(uniform(low, high)); // also exact where code has fp32
  std::string extra = "k3.name = \"" + name + "\"";
  if (name == "g" && statesBounds)
    extra += llvm::formatv(", k3.log_decay_bounds = array<f64: {0:e17}, 0.0>",
                           double(float(lower)))
                 .str();
  std::string type = typeOf(shape, fixed);
  arguments += "%" + name + ": " + type + " {" + extra + "}, ";
  types += type + ", ";
  operands += word + "(%" + name + ") ";
  values[name] = share(std::move(tensor));
}

void RandomDelta::unitRows(const std::string &name) {
  Tensor tensor = *values[name];
  int64_t width = tensor.shape.back();
  bool correlated = pick({0, 1});
  for (int64_t i = 0; i < tensor.count(); i += width) {
    double sum = 1e-6;
    for (int64_t j = i; j < i + width; ++j) {
      if (correlated)
        tensor.reals[j] = 1 + 0.05 * tensor.reals[j];
      sum += tensor.reals[j] * tensor.reals[j];
    }
    for (int64_t j = i; j < i + width; ++j)
      tensor.reals[j] = float(tensor.reals[j] / std::sqrt(sum));
  }
  values[name] = share(std::move(tensor));
}

/// Log-decays in [lower, 0]: random, all at the end, or slow beside fast.
void RandomDelta::addGates() {
  if (decay == "none")
    return;
  llvm::SmallVector<int64_t> shape = {valueHeads};
  bool constant = decay == "head_constant";
  if (!constant)
    shape.insert(shape.begin(), tokens);
  if (decay == "channel")
    shape.push_back(keyWidth);
  operand("g", "g", shape, lower, 0, constant);
  int64_t kind = pick({0, 1, 2});
  Tensor tensor = *values["g"];
  for (double &value : tensor.reals)
    if (kind == 1 || (kind == 2 && pick({0, 1})))
      value = float(lower);
    else if (kind == 2)
      value = float(std::max(lower, -1e-4));
  values["g"] = share(std::move(tensor));
}

void RandomDelta::addOperands() {
  llvm::SmallVector<int64_t> keys = {tokens, heads, keyWidth};
  llvm::SmallVector<int64_t> own = keys;
  if (pick({0, 1}))
    own[1] = valueHeads;
  operand("q", "q", keys, -1, 1);
  if (rule != "tied_key") {
    operand("k", "k", keys, -1, 1);
    unitRows("k");
  }
  operand("v", "v", {tokens, valueHeads, valueWidth}, -1, 1);
  addGates();
  if (erase == "delta" || erase == "own_key" || rule == "beta_value")
    operand("beta", "beta", {tokens, valueHeads}, 0, 1);
  if (erase == "own_key" || erase == "low_rank") {
    operand("a", "a", own, -1, 1);
    unitRows("a");
  }
  if (erase == "low_rank") {
    operand("b", "b", own, -1, 1);
    unitRows("b");
    Tensor b = *values["b"]; // b a^T must not grow the state
    for (double &value : b.reals)
      value *= -0.5;
    values["b"] = share(std::move(b));
  }
  if (normalizes) { // weights stay away from zero
    for (const char *name : {"q", "k"})
      if (values.count(name)) {
        Tensor positive = *values[name];
        for (double &value : positive.reals)
          value = float(std::abs(value) + 0.01);
        values[name] = share(std::move(positive));
      }
  }
  llvm::SmallVector<int64_t> state = {pool, valueHeads, keyWidth, valueWidth};
  if (vFirst)
    std::swap(state[2], state[3]);
  operand("state", "h0", state, -1, 1);
  if (normalizes)
    operand("normalizer", "n0", {pool, valueHeads, keyWidth}, 0, 1);
  // A fresh sequence does not read its slot.
  Tensor poisoned = *values["h0"];
  for (int64_t n = 0; n < sequences; ++n)
    if (int32_t slot = values["slots"]->integers[n];
        slot >= 0 && values["context_lens"]->integers[n] == 0)
      std::fill_n(poisoned.row(slot), poisoned.rowSize(), NAN);
  values["h0"] = share(std::move(poisoned));
}

void RandomDelta::write() {
  std::string results = typeOf({tokens, valueHeads, valueWidth}, false) + ", " +
                        typeOf(values["h0"]->shape, false);
  std::string names = typeOf({tokens, valueHeads, valueWidth}, false) +
                      " {k3.name = \"o\"}, " +
                      typeOf(values["h0"]->shape, false) + " {k3.name = \"h\"}";
  std::string given = "%o, %h";
  if (normalizes) {
    std::string type = typeOf(values["n0"]->shape, false);
    results += ", " + type;
    names += ", " + type + " {k3.name = \"n\"}";
    given += ", %n";
  }
  std::string indices;
  for (const char *name : {"cu_seqlens", "slots", "context_lens"})
    indices += std::string(indices.empty() ? "" : ", ") + "%" + name +
               ": tensor<?xi32> {k3.name = \"" + name + "\"}";
  moduleText =
      "func.func @main(" + arguments + indices + ") -> (" + names + ") {\n  " +
      given + " = k3.delta_rule " + operands +
      "seqs(%cu_seqlens, %slots, %context_lens) {decay = #k3.decay<" + decay +
      ">, erase = #k3.erase<" + erase + ">, write = #k3.write<" + rule +
      ">, read_state = #k3.read_state<" + readState +
      llvm::formatv(">, scale = {0:e17} : f64, state_v_first = {1}",
                    1 / std::sqrt(double(keyWidth)), vFirst ? "true" : "false")
          .str() +
      (normalizes ? ", normalizer_eps = 1.0e-5 : f64" : "") + "}\n    : (" +
      types + "tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> (" + results +
      ")\n  return " + given + " : " + results + "\n}\n";
}
