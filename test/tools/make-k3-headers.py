# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a full-size Kimi K3 model folder without its data.

usage: make-k3-headers.py FOLDER

96 shards with the names, shapes and element types of the released checkpoint
(497,220 tensors, 1.56 TB of holes), its index and the part of its config.json
that describes the text model. Needs a file system with sparse files.
"""

import json
import os
import sys

from sparse_safetensors import byte_size, write_index, write_sparse

HIDDEN, VOCAB, LAYERS, HEADS, HEAD = 7168, 163840, 93, 96, 128
INNER = HEADS * HEAD
DENSE, EXPERT, LATENT, EXPERTS, SHARED = 33792, 3072, 3584, 896, 2
Q_RANK, KV_RANK, NOPE, ROPE, VALUE = 1536, 512, 128, 64, 128
MLA = [*range(4, LAYERS, 4), LAYERS]  # 1-based, as in the config
KDA = [layer for layer in range(1, LAYERS + 1) if layer not in MLA]


def config():
    text = {
        "model_type": "kimi_linear", "dtype": "bfloat16",
        "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
        "vocab_size": VOCAB, "max_position_embeddings": 1048576,
        "rms_norm_eps": 1e-5, "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS, "q_lora_rank": Q_RANK,
        "kv_lora_rank": KV_RANK, "qk_nope_head_dim": NOPE,
        "qk_rope_head_dim": ROPE, "v_head_dim": VALUE, "mla_use_nope": True,
        "mla_use_output_gate": True,
        "linear_attn_config": {
            "num_heads": HEADS, "head_dim": HEAD, "short_conv_kernel_size": 4,
            "use_full_rank_gate": True, "gate_lower_bound": -5.0,
            "kda_layers": KDA, "full_attn_layers": MLA},
        "intermediate_size": DENSE, "hidden_act": "situ",
        "activation_situ_beta": 4.0, "activation_situ_linear_beta": 25.0,
        "num_experts": EXPERTS, "num_experts_per_token": 16,
        "num_shared_experts": SHARED, "moe_intermediate_size": EXPERT,
        "routed_expert_hidden_size": LATENT, "latent_moe_use_norm": True,
        "moe_renormalize": True, "moe_router_activation_func": "sigmoid",
        "topk_method": "noaux_tc", "use_grouped_topk": True,
        "num_expert_group": 1, "topk_group": 1, "routed_scaling_factor": 1.0,
        "first_k_dense_replace": 1, "moe_layer_freq": 1,
        "attn_res_block_size": 12, "num_nextn_predict_layers": 0,
        "quantization_config": {"quant_method": "compressed-tensors",
                                "format": "mxfp4-pack-quantized"}}
    return {"model_type": "kimi_k3", "dtype": "bfloat16",
            "bos_token_id": 163584, "eos_token_id": 163586,
            "pad_token_id": 163839, "tie_word_embeddings": False,
            "text_config": text}


def mlp(prefix, width):
    return [(prefix + "gate_proj.weight", "BF16", [width, HIDDEN]),
            (prefix + "up_proj.weight", "BF16", [width, HIDDEN]),
            (prefix + "down_proj.weight", "BF16", [HIDDEN, width])]


def kda(attn):
    tensors = []
    for side in "qkv":
        tensors += [
            (f"{attn}{side}_proj.weight", "BF16", [INNER, HIDDEN]),
            (f"{attn}{side}_conv1d.weight", "F32", [INNER, 1, 4])]
    return tensors + [
        (attn + "A_log", "F32", [128]),
        (attn + "dt_bias", "F32", [INNER]),
        (attn + "f_a_proj.weight", "BF16", [HEAD, HIDDEN]),
        (attn + "f_b_proj.weight", "BF16", [INNER, HEAD]),
        (attn + "b_proj.weight", "BF16", [HEADS, HIDDEN]),
        (attn + "o_norm.weight", "F32", [HEAD])]


def mla(attn):
    return [
        (attn + "q_a_proj.weight", "BF16", [Q_RANK, HIDDEN]),
        (attn + "q_a_layernorm.weight", "BF16", [Q_RANK]),
        (attn + "q_b_proj.weight", "BF16", [HEADS * (NOPE + ROPE), Q_RANK]),
        (attn + "kv_a_proj_with_mqa.weight", "BF16", [KV_RANK + ROPE, HIDDEN]),
        (attn + "kv_a_layernorm.weight", "BF16", [KV_RANK]),
        (attn + "kv_b_proj.weight", "BF16", [HEADS * (NOPE + VALUE), KV_RANK])]


def moe(prefix):
    tensors = [
        (prefix + "gate.weight", "BF16", [EXPERTS, HIDDEN]),
        (prefix + "gate.e_score_correction_bias", "F32", [EXPERTS]),
        (prefix + "routed_expert_down_proj.weight", "BF16", [LATENT, HIDDEN]),
        (prefix + "routed_expert_up_proj.weight", "BF16", [HIDDEN, LATENT]),
        (prefix + "routed_expert_norm.weight", "BF16", [LATENT])]
    tensors += mlp(prefix + "shared_experts.", SHARED * EXPERT)
    for expert in range(EXPERTS):
        for side in ("w1", "w2", "w3"):
            out, inner = (LATENT, EXPERT) if side == "w2" else (EXPERT, LATENT)
            name = f"{prefix}experts.{expert}.{side}.weight_"
            tensors += [(name + "packed", "U8", [out, inner // 2]),
                        (name + "scale", "U8", [out, inner // 32])]
    return tensors


def decoder_layer(index):
    layer = f"language_model.model.layers.{index}."
    attn = layer + "self_attn."
    tensors = [(layer + name + ".weight", "BF16", [HIDDEN]) for name in
               ("input_layernorm", "post_attention_layernorm",
                "self_attention_res_norm", "mlp_res_norm")]
    tensors += [(layer + name + "_res_proj.weight", "BF16", [1, HIDDEN])
                for name in ("self_attention", "mlp")]
    tensors += [(attn + "g_proj.weight", "BF16", [INNER, HIDDEN]),
                (attn + "o_proj.weight", "BF16", [HIDDEN, INNER])]
    tensors += mla(attn) if index + 1 in MLA else kda(attn)
    return tensors + (mlp(layer + "mlp.", DENSE) if index == 0
                      else moe(layer + "block_sparse_moe."))


def ends():
    model = "language_model.model."
    return [
        (model + "embed_tokens.weight", "BF16", [VOCAB, HIDDEN]),
        (model + "norm.weight", "BF16", [HIDDEN]),
        (model + "output_attn_res_norm.weight", "BF16", [HIDDEN]),
        (model + "output_attn_res_proj.weight", "BF16", [1, HIDDEN]),
        ("language_model.lm_head.weight", "BF16", [VOCAB, HIDDEN])]


def projector():
    return [("mm_projector.proj.0.weight", "BF16", [4096, 4096]),
            ("mm_projector.proj.2.weight", "BF16", [HIDDEN, 4096]),
            ("mm_projector.post_norm.weight", "BF16", [HIDDEN])]


def vision():
    tower = "vision_tower."
    tensors = [
        (tower + "patch_embed.pos_emb.weight", "BF16", [64, 64, 1024]),
        (tower + "patch_embed.proj.weight", "BF16", [1024, 3, 14, 14]),
        (tower + "encoder.final_layernorm.weight", "BF16", [1024])]
    for index in range(27):
        block = f"{tower}encoder.blocks.{index}."
        tensors += [
            (block + "wqkv.weight", "BF16", [4608, 1024]),
            (block + "wo.weight", "BF16", [1024, 1536]),
            (block + "mlp.fc0.weight", "BF16", [4096, 1024]),
            (block + "mlp.fc1.weight", "BF16", [1024, 4096]),
            (block + "norm0.weight", "BF16", [1024]),
            (block + "norm1.weight", "BF16", [1024])]
    return tensors


def main(folder):
    os.makedirs(folder, exist_ok=True)
    shards = [decoder_layer(index) for index in range(LAYERS)]
    shards += [ends(), projector(), vision()]
    weight_map, total = {}, 0
    for number, tensors in enumerate(shards, 1):
        file = f"model-{number:05}-of-{len(shards):06}.safetensors"
        total += write_sparse(os.path.join(folder, file), tensors)
        weight_map.update((name, file) for name, _, _ in tensors)
    write_index(os.path.join(folder, "model.safetensors.index.json"),
                weight_map, total)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config(), file, indent=1)
    text = sum(byte_size(dtype, shape) for tensors in shards[:LAYERS + 1]
               for _, dtype, shape in tensors)
    print(f"{len(shards)} shards, {len(weight_map)} tensors, {total} bytes "
          f"({text} of them text)")


if __name__ == "__main__":
    main(sys.argv[1])
