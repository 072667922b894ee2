// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every weight that a model of a given configuration needs: its symbol, where
// the checkpoint keeps it and in which shape.

#ifndef K3_IMPORT_WEIGHTPLAN_H
#define K3_IMPORT_WEIGHTPLAN_H

#include "k3/Import/ModelConfig.h"
#include "k3/Import/TensorTable.h"

namespace k3 {

/// How the element type that ops see follows from the stored one.
enum class ElementRule {
  Stored,  ///< BF16 and F32 stay, F16 becomes F32
  Float32, ///< small parameters that are computed with in fp32
  Bytes,   ///< U8 only: packed nibbles and their scales
};

struct PlannedWeight {
  std::string symbol; ///< "layers.0.self_attn.q_proj"
  std::string source; ///< checkpoint name, '{}' for the index in a stack
  llvm::SmallVector<int64_t, 3> shape;  ///< of one tensor, as ops see it
  llvm::SmallVector<int64_t, 3> stored; ///< of one tensor, as it is released
  int64_t stack = 0; ///< number of tensors along a new leading dimension, or 0
  ElementRule rule = ElementRule::Stored;
  bool prefix = false; ///< longer stored tensors are padded at their end
};

/// Names are resolved against `table`, which may spell them in several ways; a
/// name that it lacks keeps its released spelling.
Status planWeights(const ModelConfig &config, const TensorTable &table,
                   std::vector<PlannedWeight> &plan);

} // namespace k3

#endif // K3_IMPORT_WEIGHTPLAN_H
