// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What config.json says about a model of the Kimi family, checked.

#ifndef K3_IMPORT_MODELCONFIG_H
#define K3_IMPORT_MODELCONFIG_H

#include "runtime/base/Status.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace k3 {

/// The gated linear unit of all MLPs of a model.
struct GluConfig {
  bool situ = false; ///< SiTU, else SwiGLU
  double beta = 0;
  std::optional<double> linearBeta;
};

/// Kimi delta attention: `linear_attn_config`.
struct KdaConfig {
  int64_t heads = 0;
  int64_t headDim = 0; ///< of keys and of values
  int64_t convWidth = 0;
  bool fullRankGate = false;
  /// The bounded gate's limit; without it the gate is the softplus one.
  std::optional<double> gateLowerBound;
};

/// Multi-head latent attention without rotation.
struct MlaConfig {
  int64_t heads = 0;
  std::optional<int64_t> qLoraRank; ///< without it q_proj is direct
  int64_t kvLoraRank = 0;
  int64_t nopeDim = 0;
  int64_t ropeDim = 0; ///< width of the shared, unrotated key part
  int64_t valueDim = 0;
  bool outputGate = false;
};

/// Routed and shared experts.
struct MoeConfig {
  int64_t experts = 0;
  int64_t topK = 0;
  int64_t sharedExperts = 0;
  int64_t intermediateSize = 0;
  std::optional<int64_t> latentSize; ///< width of the routed experts' input
  bool latentNorm = false;
  bool packed = false; ///< MXFP4 by quantization_config; tensors may differ
  std::string routerActivation;
  bool renormalize = false;
  double scalingFactor = 1;
  int64_t groups = 1;
  int64_t topKGroups = 1;
};

enum class AttentionKind { Kda, Mla };

struct ModelConfig {
  std::string modelType; ///< kimi_k3 or kimi_linear
  std::string dtype;     ///< bfloat16, float32, or empty when not said
  int64_t vocabSize = 0;
  int64_t hiddenSize = 0;
  int64_t layers = 0;
  int64_t intermediateSize = 0; ///< of dense layers
  double normEps = 0;
  bool tiedEmbeddings = false;
  /// Decoder layers an attention-residual block; absent: plain residuals.
  std::optional<int64_t> attnResBlock;
  int64_t extraLayers = 0; ///< next-token-prediction layers, not imported
  GluConfig glu;
  KdaConfig kda;
  MlaConfig mla;
  MoeConfig moe;
  std::vector<AttentionKind> attention; ///< one a layer
  std::vector<bool> sparse;             ///< one a layer: experts, else dense
  /// Token ids as text, several joined by commas, empty when not given.
  std::string bosTokenId, eosTokenId, padTokenId;
  std::string maxPositions;

  bool hasKda() const;
  bool hasMla() const;
  bool hasDense() const;
  bool hasMoe() const;
};

/// Reads the text of a config.json. `where` names it in messages.
Status readModelConfig(llvm::StringRef text, llvm::StringRef where,
                       ModelConfig &config);

} // namespace k3

#endif // K3_IMPORT_MODELCONFIG_H
