// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The residual stream through all layers: plain sums, or block attention
// residuals, where a boundary layer seals the running prefix as a block.

#include "EntryBuilder.h"

using namespace mlir;
using namespace k3;

namespace {
class Decoder {
public:
  Decoder(EntryBuilder &entry, Value embedding)
      : entry(entry), prefix(embedding) {}

  Value run();

private:
  /// What a half of a layer reads: the mix of blocks and prefix. It never
  /// enters the prefix itself.
  Value mix(const std::string &symbol);
  void accumulate(Value value, const std::string &name);
  void buildLayer(int64_t index);

  EntryBuilder &entry;
  Value prefix; ///< null just after a block was sealed
  SmallVector<Value> blocks;
};
} // namespace

Value Decoder::mix(const std::string &symbol) {
  if (blocks.empty())
    return prefix;
  return AttnResOp::create(entry.builder, entry.at(symbol), prefix.getType(),
                           prefix, entry.weight(symbol + "_norm"),
                           entry.weight(symbol + "_proj"), blocks,
                           entry.builder.getF64FloatAttr(entry.config.normEps));
}

void Decoder::accumulate(Value value, const std::string &name) {
  prefix = prefix ? entry.add(prefix, value, name) : value;
}

void Decoder::buildLayer(int64_t index) {
  const ModelConfig &config = entry.config;
  std::string layer = "layers." + std::to_string(index) + ".";
  Value h = mix(layer + "self_attention_res");
  if (config.attnResBlock && index % *config.attnResBlock == 0) {
    blocks.push_back(prefix);
    prefix = Value();
  }
  h = entry.norm(h, layer + "input_layernorm");
  accumulate(config.attention[index] == AttentionKind::Kda
                 ? buildKda(entry, h, layer)
                 : buildMla(entry, h, layer),
             layer + "self_attn.add");
  h = entry.norm(mix(layer + "mlp_res"), layer + "post_attention_layernorm");
  accumulate(config.sparse[index] ? buildMoe(entry, h, layer)
                                  : buildMlp(entry, h, layer + "mlp."),
             layer +
                 (config.sparse[index] ? "block_sparse_moe.add" : "mlp.add"));
}

Value Decoder::run() {
  for (int64_t index = 0; index < entry.config.layers; ++index)
    buildLayer(index);
  return mix("output_attn_res");
}

Value k3::buildDecoder(EntryBuilder &entry, Value embedding) {
  return Decoder(entry, embedding).run();
}
