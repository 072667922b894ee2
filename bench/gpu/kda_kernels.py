#!/usr/bin/env python3
"""Checks and times the KDA tile kernels on a GPU, in one run.

    k3-kernel kda-decode  --heads 96 --describe D/decode-96.json  -o D/decode-96.cubin
    k3-kernel kda-prefill --heads 96 --describe D/prefill-96.json -o D/prefill-96.cubin
    python3 bench/gpu/kda_kernels.py D --out results.json

For few heads the prefill is two kernels, D/prepare-12.* and D/recur-12.*.

Needs torch with CUDA. Errors are relative Frobenius norms against the token
recurrence in float64; times are medians of CUDA graph replays. Strong, mixed and
weak gates differ by what is added to the logits of the decay (0, -4, -8).
"""

import argparse
import json
import pathlib

import torch

from launch import Kernel, graph_time

LOWER_BOUND = -5.0
DIM = 128
class SplitPrefill:
    """kda-prepare and kda-recur behind the arguments of kda-prefill."""

    def __init__(self, folder, heads):
        self.prepare = Kernel(folder, f"prepare-{heads}")
        self.recur = Kernel(folder, f"recur-{heads}")
        self.facts = {"prepare": self.prepare.facts, "recur": self.recur.facts}
        self.workspace = {}

    def launch(self, blocks, tensors):
        q, k, v, g, beta, a_log, dt_bias, state, o, cu, slots, lens = tensors
        tokens, heads = q.shape[:2]
        chunks = tokens // 64 + blocks // heads
        if chunks not in self.workspace:
            self.workspace[chunks] = (
                torch.full((chunks, heads, 32768), float("nan"),
                           dtype=torch.bfloat16, device="cuda"),
                torch.full((chunks, heads, 256), float("nan"), device="cuda"))
        factors, vectors = self.workspace[chunks]
        self.prepare.launch(chunks * heads, [q, k, g, beta, a_log, dt_bias,
                                             factors, vectors, cu,
                                             blocks // heads])
        self.recur.launch(2 * blocks, [v, state, o, factors, vectors, cu, slots,
                                       lens])


def error(got, want):
    got, want = got.double(), want.double()
    return ((got - want).norm() / want.norm().clamp_min(1e-300)).item()


def normalised(x):
    x = x.double()
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


def decay_of(z, a_log, dt_bias):
    x = torch.exp(a_log.double())[:, None] * (z.double() + dt_bias.double())
    return torch.exp(LOWER_BOUND * torch.sigmoid(x))


def recurrence(q, k, v, z, b, a_log, dt_bias, state):
    """One sequence, [T, H, ...] -> o; state [H, V, K] in float64 is updated."""
    q, k = normalised(q) * DIM**-0.5, normalised(k)
    alpha, beta = decay_of(z, a_log, dt_bias), torch.sigmoid(b.double())
    v, out = v.double(), []
    for t in range(q.shape[0]):
        state *= alpha[t][:, None, :]
        read = torch.einsum("hvk,hk->hv", state, k[t])
        update = beta[t][:, None] * (v[t] - read)
        state += update[:, :, None] * k[t][:, None, :]
        out.append(torch.einsum("hvk,hk->hv", state, q[t]))
    return torch.stack(out) if out else v[:0]


def inputs(tokens, heads, shift, seed):
    g = torch.Generator("cuda").manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, device="cuda", generator=g)

    half = torch.bfloat16
    return dict(
        q=normal(tokens, heads, DIM).to(half), k=normal(tokens, heads, DIM).to(half),
        v=normal(tokens, heads, DIM).to(half),
        z=(normal(tokens, heads, DIM) + shift).to(half),
        b=normal(tokens, heads).to(half), a_log=normal(heads) * 0.3,
        dt_bias=normal(heads, DIM) * 0.1)


def ints(values):
    return torch.tensor(values, dtype=torch.int32, device="cuda")


def run_prefill(kernel, x, lengths, slots, lens, state):
    heads = x["q"].shape[1]
    cu = [0]
    for length in lengths:
        cu.append(cu[-1] + length)
    out = torch.full_like(x["v"], float("nan"))
    kernel.launch(len(lengths) * heads,
                  [x["q"], x["k"], x["v"], x["z"], x["b"], x["a_log"],
                   x["dt_bias"], state, out, ints(cu), ints(slots), ints(lens)])
    torch.cuda.synchronize()
    return out


def check_prefill(kernel, heads, lengths, shift, seed=1, resumed=True):
    tokens = sum(lengths)
    x = inputs(tokens, heads, shift, seed)
    count = len(lengths)
    pool = torch.randn(count + 1, heads, DIM, DIM, device="cuda") * 0.3
    before = pool.double().clone()
    slots = list(range(count, 0, -1))
    lens = [7 if resumed else 0] * count
    out = run_prefill(kernel, x, lengths, slots, lens, pool)
    worst_o = worst_s = 0.0
    first = 0
    for length, slot in zip(lengths, slots):
        state = before[slot].clone() if resumed else torch.zeros_like(before[slot])
        part = {n: (t[first:first + length] if n in "qkvzb" else t)
                for n, t in x.items()}
        want = recurrence(*part.values(), state)
        if length:
            worst_o = max(worst_o, error(out[first:first + length], want))
        if state.norm() > 0:
            worst_s = max(worst_s, error(pool[slot], state))
        first += length
    untouched = torch.equal(pool[0].double(), before[0])
    return dict(lengths=lengths, heads=heads, shift=shift, out=worst_o,
                state=worst_s, untouched=untouched)


def check_invariance(kernel, heads, runs=100):
    """One bit pattern over many runs; a sequence alone as packed with others."""
    lengths = [300, 64, 129, 1]
    x = inputs(sum(lengths), heads, -4.0, 11)
    start = torch.randn(len(lengths), heads, DIM, DIM, device="cuda")
    first = None
    same = True
    for _ in range(runs):
        pool = start.clone()
        out = run_prefill(kernel, x, lengths, [0, 1, 2, 3], [1] * 4, pool)
        first = first or (out, pool)
        same &= torch.equal(out, first[0]) and torch.equal(pool, first[1])
    alone, at = True, 0
    for n, length in enumerate(lengths):
        part = {k: (v[at:at + length].contiguous() if k in "qkvzb" else v)
                for k, v in x.items()}
        pool = start.clone()
        out = run_prefill(kernel, part, [length], [n], [1], pool)
        alone &= torch.equal(out, first[0][at:at + length])
        alone &= torch.equal(pool[n], first[1][n])
        at += length
    return dict(heads=heads, runs=runs, one_bit_pattern=same,
                alone_equals_packed=alone)


def check_split(kernel, heads, length, cut):
    """A sequence in two calls, the second one resumed."""
    x = inputs(length, heads, -4.0, 13)
    pool = torch.randn(1, heads, DIM, DIM, device="cuda") * 0.3
    state = pool[0].double().clone()
    parts = []
    for first, last in ((0, cut), (cut, length)):
        part = {k: (v[first:last].contiguous() if k in "qkvzb" else v)
                for k, v in x.items()}
        parts.append(run_prefill(kernel, part, [last - first], [0], [1], pool))
    want = recurrence(*x.values(), state)
    return dict(heads=heads, length=length, cut=cut,
                out=error(torch.cat(parts), want), state=error(pool[0], state))


def time_prefill(kernel, heads, sequences, length, shift):
    x = inputs(sequences * length, heads, shift, 5)
    pool = torch.zeros(sequences, heads, DIM, DIM, device="cuda")
    out = torch.empty_like(x["v"])
    tensors = [x["q"], x["k"], x["v"], x["z"], x["b"], x["a_log"], x["dt_bias"],
               pool, out, ints([i * length for i in range(sequences + 1)]),
               ints(list(range(sequences))), ints([1] * sequences)]
    return graph_time(lambda i: kernel.launch(sequences * heads, tensors))


def decode_inputs(batch, heads, seed):
    x = inputs(batch, heads, 0.0, seed)
    g = torch.Generator("cuda").manual_seed(seed + 1)

    def normal(*shape):
        return torch.randn(*shape, device="cuda", generator=g)

    half, width = torch.bfloat16, heads * DIM
    x["og"] = normal(batch, heads, DIM).to(half)
    for name in "qkv":
        x[name + "_conv"] = normal(width, 4) * 0.5
        x[name + "_window"] = normal(batch, 3, width).to(half)
    x["o_norm"] = 1 + normal(DIM) * 0.1
    x["state"] = normal(batch, heads, DIM, DIM) * 0.3
    x["out"] = torch.full_like(x["v"], float("nan"))
    return x


def decode_tensors(x, slots, lens):
    return [x["q"], x["k"], x["v"], x["z"], x["b"], x["og"], x["q_conv"],
            x["k_conv"], x["v_conv"], x["a_log"], x["dt_bias"], x["o_norm"],
            x["q_window"], x["k_window"], x["v_window"], x["state"], x["out"],
            slots, lens]


def check_decode(kernel, heads, batch, resumed):
    x = decode_inputs(batch, heads, 3)
    before = {n: x[n].double().clone() for n in
              ("q_window", "k_window", "v_window", "state")}
    slots = list(range(batch - 1, -1, -1))
    kernel.launch(batch * heads, decode_tensors(
        x, ints(slots), ints([5 if resumed else 0] * batch)))
    torch.cuda.synchronize()
    vectors, windows_right = {}, True
    for name in "qkv":
        token = x[name].double().reshape(batch, -1)
        window = before[name + "_window"][slots] * (1.0 if resumed else 0.0)
        taps = torch.cat([window, token[:, None]], 1)
        y = torch.einsum("btc,ct->bc", taps, x[name + "_conv"].double())
        vectors[name] = torch.nn.functional.silu(y).to(torch.bfloat16).reshape(
            batch, heads, DIM)
        windows_right &= torch.equal(x[name + "_window"][slots].double(),
                                     taps[:, 1:])
    worst_s = 0.0
    outs = []
    for n, slot in enumerate(slots):
        state = before["state"][slot].clone() * (1.0 if resumed else 0.0)
        outs.append(recurrence(vectors["q"][n:n + 1], vectors["k"][n:n + 1],
                               vectors["v"][n:n + 1], x["z"][n:n + 1],
                               x["b"][n:n + 1], x["a_log"], x["dt_bias"],
                               state)[0])
        worst_s = max(worst_s, error(x["state"][slot], state))
    o = torch.stack(outs)
    o = o * torch.rsqrt((o * o).mean(-1, keepdim=True) + 1e-5)
    o = o * x["o_norm"].double() * torch.sigmoid(x["og"].double())
    return dict(heads=heads, batch=batch, resumed=resumed, out=error(x["out"], o),
                state=worst_s, windows=windows_right)


def time_decode(kernel, heads, batch):
    bytes_of_state = batch * heads * DIM * DIM * 4
    sets = max(2, min(24, (200 << 20) // bytes_of_state + 1))
    xs = [decode_inputs(batch, heads, i) for i in range(sets)]
    slots, lens = ints(list(range(batch))), ints([1] * batch)
    lists = [decode_tensors(x, slots, lens) for x in xs]
    calls = max(sets, 4)
    return graph_time(lambda i: kernel.launch(batch * heads, lists[i % sets]),
                      calls=calls)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", choices=["decode", "prefill"])
    parser.add_argument("--profile", type=int, metavar="TOKENS",
                        help="only launch each kernel once, for a profiler or "
                        "compute-sanitizer; decode with a batch of one")
    arguments = parser.parse_args()
    torch.zeros(1, device="cuda")
    results = {"gpu": torch.cuda.get_device_name(), "decode": [], "prefill": []}

    def note(kind, row):
        results[kind].append(row)
        print(kind, json.dumps(row), flush=True)

    for path in sorted(arguments.folder.glob("*.cubin")):
        kind, heads = path.stem.split("-")
        heads = int(heads)
        if kind not in ("decode", "prefill", "recur"):
            continue
        if kind == "recur":
            kind, kernel = "prefill", SplitPrefill(arguments.folder, heads)
        else:
            kernel = Kernel(arguments.folder, path.stem)
        if arguments.only not in (None, kind):
            continue
        note(kind, kernel.facts)
        if arguments.profile:
            if kind == "prefill":
                x = inputs(arguments.profile, heads, -4.0, 5)
                pool = torch.zeros(2, heads, DIM, DIM, device="cuda")
                lengths = [arguments.profile // 3,
                           arguments.profile - arguments.profile // 3]
                run_prefill(kernel, x, lengths, [0, 1], [1, 0], pool)
            else:
                check_decode(kernel, heads, 1, True)
            continue
        if kind == "decode":
            for batch, resumed in ((1, True), (3, False), (8, True)):
                note(kind, check_decode(kernel, heads, batch, resumed))
            for batch in (1, 8, 32, 128, 256):
                note(kind, dict(heads=heads, batch=batch,
                                us=time_decode(kernel, heads, batch)))
            continue
        for shift in (0.0, -4.0, -8.0):
            note(kind, check_prefill(kernel, heads, [64], shift, resumed=False))
            note(kind, check_prefill(kernel, heads, [1, 2, 0, 15, 17, 63, 65, 129],
                                     shift))
            note(kind, check_prefill(kernel, heads, [1000], shift))
        note(kind, check_invariance(kernel, heads))
        for cut in (1, 63, 64, 100, 299):
            note(kind, check_split(kernel, heads, 300, cut))
        for sequences, length in ((1, 1024), (1, 8192), (4, 2048), (1, 32768)):
            note(kind, dict(heads=heads, sequences=sequences, length=length,
                            us=time_prefill(kernel, heads, sequences, length,
                                            -4.0)))
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
