// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the layers of one entry point are built with: its arguments, access to
// weights and state, and short forms of the ops that every layer uses.

#ifndef K3_LIB_IMPORT_ENTRYBUILDER_H
#define K3_LIB_IMPORT_ENTRYBUILDER_H

#include "k3/Dialect/K3/IR/K3.h"
#include "k3/Import/ModelConfig.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace k3 {

/// Types of declared symbols by name.
using SymbolTypes = llvm::StringMap<mlir::RankedTensorType>;

class EntryBuilder {
public:
  EntryBuilder(mlir::OpBuilder &builder, const ModelConfig &config,
               const SymbolTypes &weights, const SymbolTypes &states,
               mlir::Type activation)
      : builder(builder), config(config), activation(activation),
        weights(weights), states(states) {}

  mlir::OpBuilder &builder;
  const ModelConfig &config;
  const mlir::Type activation; ///< element type of activations
  mlir::Value tokens, cuSeqlens, slots, contextLens;
  llvm::StringSet<> usedWeights;

  /// A location that names a part of the model: "layers.3.self_attn.q_proj".
  mlir::Location at(const std::string &name) const;
  mlir::Type f32() const { return builder.getF32Type(); }
  /// [?, sizes...] of an element type.
  mlir::RankedTensorType rows(llvm::ArrayRef<int64_t> sizes,
                              mlir::Type element) const;
  mlir::RankedTensorType rows(llvm::ArrayRef<int64_t> sizes) const {
    return rows(sizes, activation);
  }

  bool hasWeight(const std::string &symbol) const {
    return weights.count(symbol);
  }
  mlir::Value weight(const std::string &symbol);
  mlir::Value state(const std::string &symbol);
  void setState(const std::string &symbol, mlir::Value value);

  /// x times the weight of that name; `element` is the result's, the
  /// activations' when null.
  mlir::Value linear(mlir::Value x, const std::string &symbol,
                     mlir::Type element = {});
  /// KimiRMSNorm.
  mlir::Value norm(mlir::Value x, const std::string &symbol, double eps);
  mlir::Value norm(mlir::Value x, const std::string &symbol) {
    return norm(x, symbol, config.normEps);
  }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs, const std::string &name);
  /// Rows seen as `heads` of equal width, and back.
  mlir::Value splitHeads(mlir::Value x, int64_t heads, const std::string &name);
  mlir::Value joinHeads(mlir::Value x, const std::string &name);

private:
  const SymbolTypes &weights;
  const SymbolTypes &states;
};

/// State that a layer keeps, as (symbol, type of one slot).
using StateList =
    llvm::SmallVector<std::pair<std::string, mlir::RankedTensorType>>;

/// Kimi delta attention; `layer` is "layers.N.".
mlir::Value buildKda(EntryBuilder &entry, mlir::Value x,
                     const std::string &layer);
void listKdaStates(const ModelConfig &config, mlir::Type activation,
                   const std::string &layer, StateList &states);

/// Latent attention.
mlir::Value buildMla(EntryBuilder &entry, mlir::Value x,
                     const std::string &layer);
void listMlaStates(const ModelConfig &config, mlir::Type activation,
                   const std::string &layer, StateList &states);

/// Dense MLP of the weights `symbol` + {gate,up,down}_proj.
mlir::Value buildMlp(EntryBuilder &entry, mlir::Value x,
                     const std::string &symbol);
/// Routed and shared experts.
mlir::Value buildMoe(EntryBuilder &entry, mlir::Value x,
                     const std::string &layer);

/// All decoder layers, and the last residual mix: the input of the final norm.
mlir::Value buildDecoder(EntryBuilder &entry, mlir::Value embedding);

} // namespace k3

#endif // K3_LIB_IMPORT_ENTRYBUILDER_H
