// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// config.json of both families: kimi_k3 nests its text model under
// 'text_config', kimi_linear is flat.

#include "k3/Import/ModelConfig.h"

#include "ConfigObject.h"

#include "runtime/base/Escape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdio>

using namespace k3;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

bool ModelConfig::hasKda() const {
  return llvm::is_contained(attention, AttentionKind::Kda);
}
bool ModelConfig::hasMla() const {
  return llvm::is_contained(attention, AttentionKind::Mla);
}
bool ModelConfig::hasDense() const { return llvm::is_contained(sparse, false); }
bool ModelConfig::hasMoe() const { return llvm::is_contained(sparse, true); }

static std::string showNumber(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", number);
  return text;
}

/// Remembers "'KEY' VALUE is not supported (wanted WANTED)".
static void unsupported(ConfigErrors &errors, const std::string &key,
                        const std::string &value, const std::string &wanted) {
  errors.wrong(ConfigUnsupported, formatv("{0} {1} is not supported (wanted "
                                          "{2})",
                                          key, escaped(value), wanted));
}

static void readGlu(ConfigObject &text, GluConfig &glu, ConfigErrors &errors) {
  std::string act = text.text("hidden_act", "silu");
  if (act != "situ" && act != "silu")
    unsupported(errors, "hidden_act", "'" + act + "'", "'situ' or 'silu'");
  glu.situ = act == "situ";
  if (!glu.situ)
    return;
  glu.beta = text.optionalNumber("activation_situ_beta").value_or(1.0);
  glu.linearBeta = text.optionalNumber("activation_situ_linear_beta");
  errors.require(glu.beta > 0 && glu.linearBeta.value_or(1) > 0, ConfigRange,
                 "'activation_situ_beta' and 'activation_situ_linear_beta' "
                 "must be positive");
}

/// Both lists are 1-based and together name every layer once.
static void readLayerKinds(ConfigObject &linear, ModelConfig &config,
                           ConfigErrors &errors) {
  llvm::SmallVector<int> seen(config.layers, 0);
  config.attention.assign(config.layers, AttentionKind::Kda);
  for (const char *key : {"kda_layers", "full_attn_layers"})
    for (int64_t layer : linear.sizes(key)) {
      if (layer < 1 || layer > config.layers) {
        errors.wrong(ConfigRange,
                     formatv("'{0}' names layer {1} (wanted 1 to "
                             "{2})",
                             linear.path(key), layer, config.layers));
        return;
      }
      ++seen[layer - 1];
      if (StringRef(key) == "full_attn_layers")
        config.attention[layer - 1] = AttentionKind::Mla;
    }
  for (auto [index, count] : llvm::enumerate(seen))
    errors.require(count == 1, ConfigRange,
                   formatv("layer {0} is {1} 'kda_layers' and "
                           "'full_attn_layers' (wanted exactly one)",
                           index + 1,
                           count == 0 ? "in neither of" : "twice in"));
}

static void readKda(ConfigObject &linear, KdaConfig &kda,
                    ConfigErrors &errors) {
  kda.heads = linear.size("num_heads");
  kda.headDim = linear.size("head_dim");
  if (kda.headDim % 8 != 0 || kda.headDim > 512)
    unsupported(errors, linear.path("head_dim"), std::to_string(kda.headDim),
                "a multiple of 8 up to 512");
  kda.convWidth = linear.size("short_conv_kernel_size", 2, 8);
  kda.fullRankGate = linear.flag("use_full_rank_gate", false);
  kda.gateLowerBound = linear.optionalNumber("gate_lower_bound");
  if (kda.gateLowerBound)
    errors.require(*kda.gateLowerBound >= -5 && *kda.gateLowerBound < 0,
                   ConfigRange,
                   formatv("'{0}' is out of range (wanted [-5, 0), got {1})",
                           linear.path("gate_lower_bound"),
                           showNumber(*kda.gateLowerBound)));
}

static void readMla(ConfigObject &text, MlaConfig &mla, ConfigErrors &errors) {
  mla.heads = text.size("num_attention_heads");
  if (std::optional<int64_t> kv = text.optionalSize("num_key_value_heads"))
    errors.require(*kv == mla.heads, ConfigUnsupported,
                   formatv("num_key_value_heads {0} is not supported (wanted "
                           "num_attention_heads {1})",
                           *kv, mla.heads));
  mla.qLoraRank = text.optionalSize("q_lora_rank");
  mla.kvLoraRank = text.size("kv_lora_rank");
  mla.nopeDim = text.size("qk_nope_head_dim");
  mla.ropeDim = text.size("qk_rope_head_dim");
  mla.valueDim = text.size("v_head_dim");
  mla.outputGate = text.flag("mla_use_output_gate", false);
  if (!text.flag("mla_use_nope") && text.has("mla_use_nope"))
    unsupported(errors, "mla_use_nope", "false",
                "true: rotary positions are not implemented");
}

static void readRouter(ConfigObject &text, MoeConfig &moe,
                       ConfigErrors &errors) {
  moe.routerActivation = text.text("moe_router_activation_func");
  if (moe.routerActivation != "sigmoid" && moe.routerActivation != "softmax" &&
      text.has("moe_router_activation_func"))
    unsupported(errors, "moe_router_activation_func",
                "'" + moe.routerActivation + "'", "'sigmoid' or 'softmax'");
  std::string method = text.text("topk_method", "noaux_tc");
  if (method != "noaux_tc")
    unsupported(errors, "topk_method", "'" + method + "'", "'noaux_tc'");
  moe.renormalize = text.flag("moe_renormalize");
  moe.scalingFactor = text.number("routed_scaling_factor");
  if (!text.flag("use_grouped_topk", true))
    return;
  moe.groups = text.optionalSize("num_expert_group").value_or(1);
  moe.topKGroups = text.optionalSize("topk_group").value_or(1);
  bool divides = moe.experts % moe.groups == 0;
  errors.require(divides, ConfigRange,
                 formatv("num_expert_group {0} does not divide num_experts {1}",
                         moe.groups, moe.experts));
  int64_t each = divides ? moe.experts / moe.groups : moe.experts;
  errors.require(moe.topKGroups <= moe.groups &&
                     moe.topK <= moe.topKGroups * each &&
                     (moe.groups == 1 || each >= 2),
                 ConfigRange,
                 formatv("topk_group {0} of {1} groups of {2} experts cannot "
                         "give num_experts_per_token {3}",
                         moe.topKGroups, moe.groups, each, moe.topK));
}

static void readMoe(ConfigObject &text, MoeConfig &moe, ConfigErrors &errors) {
  moe.experts = text.size("num_experts", 1, 4096);
  moe.topK = text.size("num_experts_per_token", 1, 4096);
  errors.require(moe.topK <= moe.experts, ConfigRange,
                 formatv("num_experts_per_token {0} exceeds num_experts {1}",
                         moe.topK, moe.experts));
  moe.sharedExperts =
      text.optionalSize("num_shared_experts", 0, 4096).value_or(0);
  moe.intermediateSize = text.size("moe_intermediate_size");
  moe.latentSize = text.optionalSize("routed_expert_hidden_size");
  moe.latentNorm = moe.latentSize && text.flag("latent_moe_use_norm", false);
  readRouter(text, moe, errors);
}

/// compressed-tensors with MXFP4 is read; which tensors are packed is decided
/// by the tensors themselves.
static void readQuantization(const json::Object &object, ConfigErrors &errors) {
  ConfigObject quant(object, "quantization_config.", errors);
  std::string method = quant.text("quant_method", "");
  std::string format = quant.text("format", "");
  if (method != "compressed-tensors")
    unsupported(errors, quant.path("quant_method"), "'" + method + "'",
                "'compressed-tensors'");
  if (format != "mxfp4-pack-quantized")
    unsupported(errors, quant.path("format"), "'" + format + "'",
                "'mxfp4-pack-quantized'");
}

static void readText(ConfigObject &text, ModelConfig &config,
                     ConfigErrors &errors) {
  config.vocabSize = text.size("vocab_size");
  config.hiddenSize = text.size("hidden_size");
  config.layers = text.size("num_hidden_layers", 1, 4096);
  config.normEps = text.number("rms_norm_eps");
  errors.require(config.normEps > 0, ConfigRange,
                 formatv("'rms_norm_eps' must be positive, got {0}",
                         showNumber(config.normEps)));
  config.attnResBlock = text.optionalSize("attn_res_block_size");
  config.extraLayers =
      text.optionalSize("num_nextn_predict_layers", 0, 4096).value_or(0);
  readGlu(text, config.glu, errors);
  if (const json::Object *object = text.child("linear_attn_config")) {
    ConfigObject linear(*object, text.path("linear_attn_config."), errors);
    readLayerKinds(linear, config, errors);
    if (config.hasKda())
      readKda(linear, config.kda, errors);
  }
  if (config.hasMla())
    readMla(text, config.mla, errors);
  int64_t experts = text.optionalSize("num_experts", 0, 4096).value_or(0);
  int64_t first =
      text.optionalSize("first_k_dense_replace", 0, maxDimension).value_or(0);
  int64_t every = text.optionalSize("moe_layer_freq").value_or(1);
  for (int64_t layer = 0; layer < config.layers; ++layer)
    config.sparse.push_back(experts > 0 && layer >= first &&
                            layer % every == 0);
  if (config.hasDense())
    config.intermediateSize = text.size("intermediate_size");
  if (config.hasMoe())
    readMoe(text, config.moe, errors);
}

/// The first of `objects` that has a key wins.
static std::string firstText(llvm::ArrayRef<ConfigObject *> objects,
                             llvm::ArrayRef<const char *> keys) {
  for (ConfigObject *object : objects)
    for (const char *key : keys)
      if (object->has(key))
        return object->text(key);
  return "";
}

static std::string firstIds(llvm::ArrayRef<ConfigObject *> objects,
                            const char *key) {
  for (ConfigObject *object : objects)
    if (object->has(key))
      return object->tokenIds(key);
  return "";
}

Status k3::readModelConfig(StringRef source, StringRef where,
                           ModelConfig &config) {
  json::Value value = nullptr;
  K3_TRY(parseConfigJson(source, where, value));
  ConfigErrors errors(where);
  const json::Object *object = value.getAsObject();
  if (!object)
    return Status::error(Code::BadInput, ConfigType,
                         where.str() + ": wanted a JSON object");
  ConfigObject top(*object, "", errors);
  config.modelType = top.text("model_type");
  bool nested = config.modelType == "kimi_k3";
  if (!nested && config.modelType != "kimi_linear" && top.has("model_type"))
    unsupported(errors, "model_type", "'" + config.modelType + "'",
                "'kimi_k3' or 'kimi_linear'");
  if (!errors.ok())
    return errors.take();
  const json::Object *inner = nested ? top.child("text_config") : object;
  if (!inner)
    return errors.take();
  ConfigObject text(*inner, nested ? "text_config." : "", errors);
  readText(text, config, errors);
  for (ConfigObject *level : {&top, &text})
    if (const json::Object *quant =
            level->optionalChild("quantization_config")) {
      readQuantization(*quant, errors);
      config.moe.packed = true;
    }
  config.dtype = firstText({&top, &text}, {"dtype", "torch_dtype"});
  if (!config.dtype.empty() && config.dtype != "bfloat16" &&
      config.dtype != "float32")
    unsupported(errors, "dtype", "'" + config.dtype + "'",
                "'bfloat16' or 'float32'");
  config.tiedEmbeddings = top.flag("tie_word_embeddings", false) ||
                          text.flag("tie_word_embeddings", false);
  config.bosTokenId = firstIds({&top, &text}, "bos_token_id");
  config.eosTokenId = firstIds({&top, &text}, "eos_token_id");
  config.padTokenId = firstIds({&top, &text}, "pad_token_id");
  for (const char *key : {"max_position_embeddings", "model_max_length"})
    if (std::optional<int64_t> most =
            text.optionalSize(key, 1, int64_t(1) << 40))
      config.maxPositions = std::to_string(*most);
  return errors.take();
}
