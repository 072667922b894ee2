# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kimi K3 in plain PyTorch, the program that k3's CPU speed is compared with.

Written as an engineer would write the released model without custom kernels:
bf16 weights and activations, fp32 islands, the chunkwise form of KDA for
prompts and the recurrence for single tokens, attention over an expanded cache,
experts by index. Experts are widened from MXFP4 once, at load.
"""

import json
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

E2M1 = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4,
                     -6])


def widen_mxfp4(packed, scale):
    """[N, K / 2] codes and [N, K / 32] E8M0 scales -> [N, K] in bf16."""
    codes = torch.stack([packed & 15, packed >> 4], -1).flatten(1).long()
    values = E2M1[codes].view(packed.shape[0], -1, 32)
    return (values * torch.exp2(scale.float() - 127)[..., None]).flatten(
        1).bfloat16()


def rms_norm(x, weight, eps):
    y = x.float()
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps)
    return weight * y.to(x.dtype)


def situ_glu(gate, up):
    gate, up = gate.float(), up.float()
    return (4 * torch.tanh(gate / 4) * torch.sigmoid(gate) * 25 *
            torch.tanh(up / 25)).bfloat16()


def chunk_kda(q, k, v, g, beta, state, chunk=64):
    """q, k, g [H, T, K], v [H, T, V], beta [H, T] -> o [H, T, V], state
    [H, K, V]; fp32; the WY form of the Kimi Linear report."""
    heads, tokens, width = q.shape
    pad = -tokens % chunk
    q, k, v, g = (F.pad(x, (0, 0, 0, pad)) for x in (q, k, v, g))
    beta = F.pad(beta, (0, pad))
    q, k, v, g = (x.unflatten(1, (-1, chunk)) for x in (q, k, v, g))
    beta = beta.unflatten(1, (-1, chunk))
    g = g.cumsum(2)
    eye = torch.eye(chunk)
    lower = torch.ones(chunk, chunk).tril(-1).bool()
    a_kk = torch.empty(heads, q.shape[1], chunk, chunk)
    a_qk = torch.empty_like(a_kk)
    for i in range(chunk):
        right = k * torch.exp((g[:, :, i:i + 1] - g).clamp(max=0))
        a_kk[:, :, i] = torch.einsum('hnd,hncd->hnc', k[:, :, i], right)
        a_qk[:, :, i] = torch.einsum('hnd,hncd->hnc', q[:, :, i], right)
    a_kk = (a_kk * beta[..., None]).masked_fill(~lower, 0)
    a_qk = a_qk.masked_fill(~(lower | eye.bool()), 0)
    inverse = torch.linalg.solve_triangular(a_kk + eye, eye.expand_as(a_kk),
                                            upper=False, unitriangular=True)
    m = inverse * beta[..., None, :]
    w, u = m @ (g.exp() * k), m @ v
    outputs = []
    for n in range(q.shape[1]):
        decay = g[:, n, -1]
        fresh = u[:, n] - w[:, n] @ state
        outputs.append((q[:, n] * g[:, n].exp()) @ state + a_qk[:, n] @ fresh)
        state = state * decay.exp()[..., None] + (
            k[:, n] * (decay[:, None] - g[:, n]).exp()).mT @ fresh
    return torch.cat(outputs, 1)[:, :tokens], state


def step_kda(q, k, v, g, beta, state):
    """One token: q, k, g [H, K], v [H, V], beta [H]."""
    state = state * g.exp()[..., None]
    fresh = beta[:, None] * (v - torch.einsum('hkv,hk->hv', state, k))
    state = state + k[..., None] * fresh[:, None]
    return torch.einsum('hkv,hk->hv', state, q), state


class Kda:
    """One KDA layer; `weight(name)` gives a parameter by its name."""

    def __init__(self, weight, heads, head_dim, lower_bound, eps):
        self.heads, self.dim = heads, head_dim
        self.bound, self.eps = lower_bound, eps
        for name in ("q_proj", "k_proj", "v_proj", "g_proj", "f_a_proj",
                     "f_b_proj", "b_proj", "o_proj", "o_norm"):
            setattr(self, name, weight(name + ".weight"))
        self.conv = [weight(f"{c}_conv1d.weight").float() for c in "qkv"]
        self.decay = weight("A_log").flatten()[:heads].float().exp()[:, None]
        self.dt_bias = weight("dt_bias").float().view(heads, head_dim)
        self.reset()

    def reset(self):
        self.state = torch.zeros(self.heads, self.dim, self.dim)
        self.window = [torch.zeros(c.shape[0], 3) for c in self.conv]

    def __call__(self, x):
        tokens, split = x.shape[0], []
        for i, proj in enumerate((self.q_proj, self.k_proj, self.v_proj)):
            past = torch.cat([self.window[i], F.linear(x, proj).float().T], 1)
            y = F.conv1d(past[None], self.conv[i], groups=past.shape[0])[0]
            self.window[i] = past[:, -3:]
            split.append(F.silu(y).T.to(x.dtype).float().view(
                tokens, self.heads, self.dim).transpose(0, 1))
        q, k, v = split
        q = q * torch.rsqrt(q.pow(2).sum(-1, keepdim=True) +
                            1e-6) * self.dim**-0.5
        k = k * torch.rsqrt(k.pow(2).sum(-1, keepdim=True) + 1e-6)
        z = F.linear(F.linear(x, self.f_a_proj), self.f_b_proj).float()
        z = z.view(tokens, self.heads, self.dim)
        g = self.bound * torch.sigmoid(self.decay * (z + self.dt_bias))
        beta = torch.sigmoid(F.linear(x, self.b_proj).float())
        if tokens == 1:
            o, self.state = step_kda(q[:, 0], k[:, 0], v[:, 0], g[0], beta[0],
                                     self.state)
            o = o[None]
        else:
            o, self.state = chunk_kda(q, k, v, g.transpose(0, 1),
                                      beta.transpose(0, 1), self.state)
            o = o.transpose(0, 1)
        gate = F.linear(x, self.g_proj).view_as(o).float()
        o = o * torch.rsqrt(o.pow(2).mean(-1, keepdim=True) + self.eps)
        o = o * self.o_norm.float() * torch.sigmoid(gate)
        return F.linear(o.to(x.dtype).flatten(1), self.o_proj)


class Mla:
    """Gated latent attention with a cache of expanded keys and values."""

    def __init__(self, weight, config):
        self.config = config
        for name in ("q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj",
                     "g_proj", "o_proj", "q_a_layernorm", "kv_a_layernorm"):
            setattr(self, name, weight(name + ".weight"))
        self.reset()

    def reset(self):
        self.keys = self.values = None

    def __call__(self, x):
        c, tokens = self.config, x.shape[0]
        heads, nope = c["num_attention_heads"], c["qk_nope_head_dim"]
        q = F.linear(rms_norm(F.linear(x, self.q_a_proj), self.q_a_layernorm,
                              1e-6), self.q_b_proj)
        q = q.view(tokens, heads, -1).transpose(0, 1)
        latent, rot = F.linear(x, self.kv_a_proj_with_mqa).split(
            [c["kv_lora_rank"], c["qk_rope_head_dim"]], -1)
        kv = F.linear(rms_norm(latent, self.kv_a_layernorm, 1e-6),
                      self.kv_b_proj).view(tokens, heads, -1).transpose(0, 1)
        k = torch.cat([kv[..., :nope], rot.expand(heads, -1, -1)], -1)
        v = kv[..., nope:]
        if self.keys is not None:
            k = torch.cat([self.keys, k], 1)
            v = torch.cat([self.values, v], 1)
        self.keys, self.values = k, v
        mask = torch.ones(tokens, k.shape[1]).tril(k.shape[1] - tokens).bool()
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        o = o.transpose(0, 1).flatten(1)
        return F.linear(o * torch.sigmoid(F.linear(x, self.g_proj)),
                        self.o_proj)


class LatentMoe:

    def __init__(self, weight, config):
        self.config = config
        self.gate = weight("gate.weight").float()
        self.bias = weight("gate.e_score_correction_bias")
        for name in ("routed_expert_down_proj", "routed_expert_up_proj",
                     "routed_expert_norm"):
            setattr(self, name, weight(name + ".weight"))
        self.shared = [weight(f"shared_experts.{n}_proj.weight")
                       for n in ("gate", "up", "down")]
        self.experts = [[widen_mxfp4(weight(f"experts.{e}.{w}.weight_packed"),
                                     weight(f"experts.{e}.{w}.weight_scale"))
                         for w in ("w1", "w3", "w2")]
                        for e in range(config["num_experts"])]

    def __call__(self, x):
        c = self.config
        scores = torch.sigmoid(F.linear(x.float(), self.gate))
        ids = (scores + self.bias).topk(c["num_experts_per_token"]).indices
        weights = scores.gather(1, ids)
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-20)
        z = F.linear(x, self.routed_expert_down_proj)
        y = torch.zeros_like(z, dtype=torch.float)
        for e in ids.unique().tolist():
            rows, which = (ids == e).nonzero(as_tuple=True)
            w1, w3, w2 = self.experts[e]
            h = F.linear(situ_glu(F.linear(z[rows], w1),
                                  F.linear(z[rows], w3)), w2)
            y.index_add_(0, rows, h.float() * weights[rows, which, None])
        y = F.linear(rms_norm(y.to(x.dtype), self.routed_expert_norm,
                              c["rms_norm_eps"]), self.routed_expert_up_proj)
        gate, up, down = self.shared
        return y + F.linear(situ_glu(F.linear(x, gate), F.linear(x, up)), down)


def attn_res(prefix, blocks, norm_weight, query, eps):
    v = torch.stack([*blocks, prefix]).float()
    keys = v * torch.rsqrt(v.pow(2).mean(-1, keepdim=True) + eps)
    scores = keys @ (norm_weight.float() * query.float().view(-1))
    return (scores.softmax(0)[..., None] * v).sum(0).to(prefix.dtype)


class KimiK3:
    """A checkpoint folder of model_type kimi_k3, batch 1."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.config = c = json.loads(
            (folder / "config.json").read_text())["text_config"]
        tensors = {}
        for shard in sorted(folder.glob("*.safetensors")):
            tensors.update(load_file(shard))
        base = "language_model.model."
        self.top = lambda name: tensors[base + name]
        self.head = tensors["language_model.lm_head.weight"]
        linear = c["linear_attn_config"]
        self.layers = []
        for i in range(c["num_hidden_layers"]):
            def at(prefix, i=i):
                return lambda name: tensors[f"{base}layers.{i}.{prefix}{name}"]
            if i + 1 in linear["kda_layers"]:
                mix = Kda(at("self_attn."), linear["num_heads"],
                          linear["head_dim"], linear["gate_lower_bound"],
                          c["rms_norm_eps"])
            else:
                mix = Mla(at("self_attn."), c)
            if i < c["first_k_dense_replace"]:
                ffn = [at("mlp.")(f"{n}_proj.weight")
                       for n in ("gate", "up", "down")]
            else:
                ffn = LatentMoe(at("block_sparse_moe."), c)
            self.layers.append((at(""), mix, ffn))

    def reset(self):
        for _, mix, _ in self.layers:
            mix.reset()

    @torch.inference_mode()
    def __call__(self, ids):
        c, eps = self.config, self.config["rms_norm_eps"]
        p, blocks = self.top("embed_tokens.weight")[ids], []
        for i, (weight, mix, ffn) in enumerate(self.layers):
            h = p
            if blocks:
                h = attn_res(p, blocks, weight("self_attention_res_norm.weight"),
                             weight("self_attention_res_proj.weight"), eps)
            if i % c["attn_res_block_size"] == 0:
                blocks.append(p)
                p = None
            a = mix(rms_norm(h, weight("input_layernorm.weight"), eps))
            p = a if p is None else p + a
            h = attn_res(p, blocks, weight("mlp_res_norm.weight"),
                         weight("mlp_res_proj.weight"), eps)
            h = rms_norm(h, weight("post_attention_layernorm.weight"), eps)
            if isinstance(ffn, list):
                gate, up, down = ffn
                p = p + F.linear(situ_glu(F.linear(h, gate), F.linear(h, up)),
                                 down)
            else:
                p = p + ffn(h)
        h = attn_res(p, blocks, self.top("output_attn_res_norm.weight"),
                     self.top("output_attn_res_proj.weight"), eps)
        return F.linear(rms_norm(h, self.top("norm.weight"), eps), self.head)
