// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module: metadata, declarations of weights and state, entry points.

#include "k3/Import/ModelBuilder.h"

#include "EntryBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace k3;

namespace {
enum class Entry { Prefill, Decode, Score };

class ModelBuilder {
public:
  ModelBuilder(MLIRContext &context, const ModelConfig &config,
               Precision precision)
      : builder(&context), config(config) {
    activation = precision == Precision::Float32 ? Type(builder.getF32Type())
                                                 : builder.getBF16Type();
  }

  OwningOpRef<ModuleOp> build(const std::vector<DeclaredWeight> &weights);

private:
  Location at(llvm::StringRef name) {
    return NameLoc::get(builder.getStringAttr(name));
  }
  Type storedElement(llvm::StringRef dtype);
  void setMetadata(ModuleOp module);
  void declareWeight(const DeclaredWeight &weight);
  void declareStates();
  /// Returns the names of the weights that the entry point reads.
  llvm::StringSet<> buildEntry(const char *name, Entry kind);

  OpBuilder builder;
  const ModelConfig &config;
  Type activation;
  SymbolTypes weightTypes, stateTypes;
};
} // namespace

Type ModelBuilder::storedElement(llvm::StringRef dtype) {
  if (dtype == "BF16")
    return builder.getBF16Type();
  if (dtype == "F16")
    return builder.getF16Type();
  return dtype == "F32" ? Type(builder.getF32Type()) : builder.getI8Type();
}

void ModelBuilder::setMetadata(ModuleOp module) {
  SmallVector<NamedAttribute> entries;
  auto put = [&](const char *key, const std::string &value) {
    if (!value.empty())
      entries.push_back(
          builder.getNamedAttr(key, builder.getStringAttr(value)));
  };
  put("model_type", config.modelType);
  put("vocab_size", std::to_string(config.vocabSize));
  put("bos_token_id", config.bosTokenId);
  put("eos_token_id", config.eosTokenId);
  put("pad_token_id", config.padTokenId);
  put("max_position_embeddings", config.maxPositions);
  module->setAttr("k3.metadata", builder.getDictionaryAttr(entries));
}

void ModelBuilder::declareWeight(const DeclaredWeight &weight) {
  const PlannedWeight &plan = weight.plan;
  Type stored = storedElement(weight.storedType);
  Type element = stored;
  if (plan.rule == ElementRule::Float32 || stored.isF16())
    element = builder.getF32Type();
  SmallVector<int64_t> shape;
  if (plan.stack)
    shape.push_back(plan.stack);
  llvm::append_range(shape, plan.shape);
  auto type = RankedTensorType::get(shape, element);
  weightTypes[plan.symbol] = type;
  WeightOp::create(
      builder, at(plan.symbol), builder.getStringAttr(plan.symbol),
      TypeAttr::get(type), builder.getStringAttr(plan.source),
      TypeAttr::get(RankedTensorType::get(weight.storedShape, stored)),
      weight.padded ? builder.getUnitAttr() : UnitAttr(),
      plan.stack ? builder.getI64IntegerAttr(plan.stack) : IntegerAttr(),
      PackingAttr());
}

void ModelBuilder::declareStates() {
  StateList states;
  for (auto [index, kind] : llvm::enumerate(config.attention)) {
    std::string layer = "layers." + std::to_string(index) + ".";
    if (kind == AttentionKind::Kda)
      listKdaStates(config, activation, layer, states);
    else
      listMlaStates(config, activation, layer, states);
  }
  for (auto &[symbol, type] : states) {
    stateTypes[symbol] = type;
    StateOp::create(builder, at(symbol), builder.getStringAttr(symbol),
                    TypeAttr::get(type));
  }
}

llvm::StringSet<> ModelBuilder::buildEntry(const char *name, Entry kind) {
  constexpr const char *names[] = {"tokens", "cu_seqlens", "slots",
                                   "context_lens"};
  EntryBuilder entry(builder, config, weightTypes, stateTypes, activation);
  Type ids = entry.rows({}, builder.getI32Type());
  Type logits = entry.rows(config.vocabSize, entry.f32());
  auto function = func::FuncOp::create(
      builder, at(name), name,
      builder.getFunctionType(SmallVector<Type>(4, ids), logits));
  for (auto [index, argument] : llvm::enumerate(names))
    function.setArgAttr(index, "k3.name", builder.getStringAttr(argument));
  function.setResultAttr(0, "k3.name", builder.getStringAttr("logits"));

  if (kind == Entry::Decode)
    function->setAttr(kOneTokenName, builder.getUnitAttr());

  OpBuilder::InsertionGuard guard(builder);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  entry.tokens = body->getArgument(0);
  entry.cuSeqlens = body->getArgument(1);
  entry.slots = body->getArgument(2);
  entry.contextLens = body->getArgument(3);
  Value x = EmbeddingOp::create(builder, entry.at("embed_tokens"),
                                entry.rows(config.hiddenSize), entry.tokens,
                                entry.weight("embed_tokens"));
  x = buildDecoder(entry, x);
  if (kind == Entry::Prefill)
    x = LastTokenOp::create(builder, entry.at("last_token"), x.getType(), x,
                            entry.cuSeqlens);
  x = entry.norm(x, "norm");
  std::string head = entry.hasWeight("lm_head") ? "lm_head" : "embed_tokens";
  func::ReturnOp::create(builder, entry.at(name),
                         entry.linear(x, head, entry.f32()));
  return std::move(entry.usedWeights);
}

OwningOpRef<ModuleOp>
ModelBuilder::build(const std::vector<DeclaredWeight> &weights) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, at("model"));
  builder.setInsertionPointToStart(module->getBody());
  setMetadata(*module);
  for (const DeclaredWeight &weight : weights)
    declareWeight(weight);
  declareStates();
  buildEntry("prefill", Entry::Prefill);
  buildEntry("decode", Entry::Decode);
  llvm::StringSet<> used = buildEntry("score", Entry::Score);
  // Layer 0 of K3 has the weights of a mix that it never computes.
  for (WeightOp weight : llvm::make_early_inc_range(module->getOps<WeightOp>()))
    if (!used.contains(weight.getSymName()))
      weight.erase();
  return module;
}

Precision k3::defaultPrecision(const ModelConfig &config,
                               const std::vector<DeclaredWeight> &weights) {
  if (!config.dtype.empty())
    return config.dtype == "float32" ? Precision::Float32 : Precision::BFloat16;
  for (const DeclaredWeight &weight : weights)
    if (weight.plan.symbol == "embed_tokens")
      return weight.storedType == "F32" ? Precision::Float32
                                        : Precision::BFloat16;
  return Precision::BFloat16;
}

OwningOpRef<ModuleOp> k3::buildModel(MLIRContext &context,
                                     const ModelConfig &config,
                                     const std::vector<DeclaredWeight> &weights,
                                     Precision precision) {
  return ModelBuilder(context, config, precision).build(weights);
}
