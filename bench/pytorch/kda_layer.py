# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One full-width KDA layer of K3 (7168, 96 heads of 128) with random bf16
weights: k3 and PyTorch on the same input."""

import pathlib

import numpy as np
import torch
from safetensors.torch import save_file

import k3
import kimi_eager

WIDTH, HEADS, DIM = 7168, 96, 128
INNER = HEADS * DIM


def weights():
    generator = torch.Generator().manual_seed(1)

    def matrix(rows, columns):
        return (torch.randn(rows, columns, generator=generator) /
                columns**0.5).bfloat16()

    named = {f"{name}_proj.weight": matrix(INNER, WIDTH) for name in "qkvg"}
    named |= {
        "f_a_proj.weight": matrix(DIM, WIDTH),
        "f_b_proj.weight": matrix(INNER, DIM),
        "b_proj.weight": matrix(HEADS, WIDTH),
        "o_proj.weight": matrix(WIDTH, INNER),
        "o_norm.weight": torch.ones(DIM),
        "A_log": torch.zeros(HEADS),
        "dt_bias": torch.randn(INNER, generator=generator) - 3,
    }
    for name in "qkv":
        named[f"{name}_conv1d.weight"] = torch.randn(
            INNER, 1, 4, generator=generator) / 2
    return named


def module():
    """The layer as IR: entry `layer` over x, with the states of a slot."""
    lines = []

    def declare(name, kind, stored=None, source=None):
        lines.append(f'k3.weight @{name} : tensor<{kind}> from '
                     f'"{source or name + ".weight"}" : '
                     f'tensor<{stored or kind}>')

    for name in "qkvg":
        declare(f"{name}_proj", f"{INNER}x{WIDTH}xbf16")
    declare("f_a_proj", f"{DIM}x{WIDTH}xbf16")
    declare("f_b_proj", f"{INNER}x{DIM}xbf16")
    declare("b_proj", f"{HEADS}x{WIDTH}xbf16")
    declare("o_proj", f"{WIDTH}x{INNER}xbf16")
    declare("o_norm", f"{DIM}xf32")
    declare("A_log", f"{HEADS}xf32", source="A_log")
    declare("dt_bias", f"{HEADS}x{DIM}xf32", f"{INNER}xf32", "dt_bias")
    for name in "qkv":
        declare(f"{name}_conv1d", f"{INNER}x4xf32", f"{INNER}x1x4xf32")
        lines.append(f"k3.state @{name}_window : tensor<{INNER}x3xbf16>")
    lines.append(f"k3.state @S : tensor<{HEADS}x{DIM}x{DIM}xf32>")
    lines.append(f"""
func.func @layer(%x: tensor<?x{WIDTH}xbf16> {{k3.name = "x"}},
    %cu: tensor<?xi32> {{k3.name = "cu_seqlens"}},
    %slots: tensor<?xi32> {{k3.name = "slots"}},
    %lens: tensor<?xi32> {{k3.name = "context_lens"}})
    -> (tensor<?x{WIDTH}xbf16> {{k3.name = "y"}}) {{""")
    row, heads = f"tensor<?x{INNER}xbf16>", f"tensor<?x{HEADS}x{DIM}x"

    def get(name, kind):
        lines.append(f"%w_{name} = k3.get_weight @{name} : tensor<{kind}>")

    def linear(out, x, weight, k, n):
        get(weight, f"{n}x{k}xbf16")
        lines.append(f"%{out} = k3.linear %{x}, %w_{weight} : (tensor<?x{k}"
                     f"xbf16>, tensor<{n}x{k}xbf16>) -> tensor<?x{n}xbf16>")

    def reshape(out, x, to):
        lines.append(f"%{out} = k3.reshape %{x} : ({row}) -> {to}")

    seqs = "seqs(%cu, %slots, %lens)"
    seq_types = "tensor<?xi32>, tensor<?xi32>, tensor<?xi32>"
    for name in "qkvg":
        linear(f"{name}0", "x", f"{name}_proj", WIDTH, INNER)
    linear("fa", "x", "f_a_proj", WIDTH, DIM)
    linear("fb", "fa", "f_b_proj", DIM, INNER)
    linear("b0", "x", "b_proj", WIDTH, HEADS)
    for name in "qkv":
        pool = f"tensor<?x{INNER}x3xbf16>"
        get(f"{name}_conv1d", f"{INNER}x4xf32")
        lines.append(f"%{name}w = k3.get_state @{name}_window : {pool}")
        lines.append(
            f"%{name}1, %{name}w1 = k3.short_conv %{name}0, %w_{name}_conv1d, "
            f"%{name}w {seqs} {{activation = #k3.activation<silu>}} : ({row}, "
            f"tensor<{INNER}x4xf32>, {pool}, {seq_types}) -> ({row}, {pool})")
        lines.append(f"k3.set_state @{name}_window, %{name}w1 : {pool}")
        reshape(f"{name}2", f"{name}1", heads + "bf16>")
    for name, scale in (("q", DIM**-0.5), ("k", 1.0)):
        lines.append(f"%{name}3 = k3.l2_norm %{name}2 {{eps = 1.0e-6 : f64, "
                     f"scale = {scale!r} : f64}} : ({heads}bf16>) -> "
                     f"{heads}f32>")
    get("A_log", f"{HEADS}xf32")
    get("dt_bias", f"{HEADS}x{DIM}xf32")
    get("o_norm", f"{DIM}xf32")
    reshape("z", "fb", heads + "bf16>")
    reshape("g2", "g0", heads + "bf16>")
    pool = f"tensor<?x{HEADS}x{DIM}x{DIM}xf32>"
    lines.append(f"""
%g = k3.gate %z a_log(%w_A_log) dt_bias(%w_dt_bias)
  {{map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}}
  : ({heads}bf16>, tensor<{HEADS}xf32>, tensor<{HEADS}x{DIM}xf32>)
  -> {heads}f32>
%beta = k3.sigmoid %b0 {{scale = 1.0 : f64}}
  : (tensor<?x{HEADS}xbf16>) -> tensor<?x{HEADS}xf32>
%s0 = k3.get_state @S : {pool}
%o, %s1 = k3.delta_rule q(%q3) k(%k3) v(%v2) g(%g) beta(%beta) state(%s0) {seqs}
  {{decay = #k3.decay<channel>, erase = #k3.erase<delta>,
   write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
   scale = 1.0 : f64, state_v_first = true}}
  : ({heads}f32>, {heads}f32>, {heads}bf16>, {heads}f32>,
     tensor<?x{HEADS}xf32>, {pool}, {seq_types}) -> ({heads}f32>, {pool})
k3.set_state @S, %s1 : {pool}
%n = k3.gated_rms_norm %o, %g2, %w_o_norm
  {{activation = #k3.activation<sigmoid>, eps = 1.0e-5 : f64}}
  : ({heads}f32>, {heads}bf16>, tensor<{DIM}xf32>) -> {heads}bf16>
%m = k3.reshape %n : ({heads}bf16>) -> {row}""")
    linear("y", "m", "o_proj", INNER, WIDTH)
    lines.append(f"return %y : tensor<?x{WIDTH}xbf16>\n}}")
    return "\n".join(lines)


def read_bandwidth(median):
    """Bytes a second of summing 1 GiB, the machine's plain read speed."""
    data = torch.ones(2**27, dtype=torch.float64)
    return data.numel() * 8 / median(data.sum, 7)


def compare(tools, work, threads, compile_model, median):
    named = weights()
    folder = pathlib.Path(work) / "layer"
    folder.mkdir()
    save_file(named, folder / "model.safetensors")
    source = pathlib.Path(work) / "layer.mlir"
    source.write_text(module())
    artefact = pathlib.Path(work) / "layer.fatbin"
    compile_model(tools, source, artefact)
    session = k3.load(artefact, folder).session(threads=threads)
    slot = session.create()
    eager = kimi_eager.Kda(lambda name: named[name], HEADS, DIM, -5.0, 1e-5)
    x = torch.randn(256, WIDTH, generator=torch.Generator().manual_seed(2))
    x = x.bfloat16()
    rows = x.float().numpy()

    def run(array):
        return session.run("layer", x=array, cu_seqlens=[0, len(array)],
                           slots=[slot])["y"]

    with torch.inference_mode():
        theirs = eager(x).float().numpy()

        def eager_prefill():
            eager.reset()
            eager(x)

        result = {"prefill_256_torch_s": median(eager_prefill, 7),
                  "decode_torch_s": median(lambda: eager(x[:1]), 15)}
    bandwidth = read_bandwidth(median)
    session.reset(slot)
    ours = run(rows)
    result["relative_error"] = float(
        np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))

    def prefill():
        session.reset(slot)
        run(rows)

    result["prefill_256_s"] = median(prefill, 7)
    result["decode_s"] = median(lambda: run(rows[:1]), 15)
    size = sum(t.numel() * t.element_size() for t in named.values())
    size += 2 * HEADS * DIM * DIM * 4  # the state, read and written
    result["decode_bytes"] = size
    result["decode_bytes_per_s"] = size / result["decode_s"]
    result["read_bytes_per_s"] = bandwidth
    result["prefill_ratio"] = (result["prefill_256_torch_s"] /
                               result["prefill_256_s"])
    result["decode_of_bandwidth"] = (result["decode_bytes_per_s"] /
                                     result["read_bytes_per_s"])
    return result
