# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""k3 on the CPU beside the same model in PyTorch, in one run.

    K3_LIBRARY=build/dev/lib/libk3rt.so python bench/compare.py \
        --bin build/dev/bin --out bench/results/cpu-DATE.json

Needs numpy, safetensors and torch. Both sides use the same number of threads;
every figure is a median, and the results are compared first.
"""

import argparse
import datetime
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "pytorch")]

import k3  # noqa: E402
import kda_layer  # noqa: E402
import kimi_eager  # noqa: E402

MODEL = ROOT / "examples" / "models" / "k3-tiny"


def median(call, runs):
    call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compile_model(tools, source, target):
    start = time.perf_counter()
    ir = target.with_suffix(".mlir")
    if source.is_dir():
        subprocess.run([tools / "k3-import", source, "-o", ir], check=True)
    else:
        ir = source
    subprocess.run([tools / "k3-compile", ir, "-o", target, "--quiet"],
                   check=True)
    return time.perf_counter() - start


def call(session, entry, ids, slot):
    return session.run(entry, tokens=ids, cu_seqlens=[0, len(ids)],
                       slots=[slot])["logits"]


def tiny(tools, work, threads):
    """Import, compile, first token, decode and prefill of k3-tiny."""
    artefact = work / "k3-tiny.fatbin"
    result = {"import_compile_s": compile_model(tools, MODEL, artefact)}
    ids = np.frombuffer((ROOT / "test/data/golden/k3-tiny/valid.txt")
                        .read_bytes()[:700], np.uint8).astype(np.int32)
    # PyTorch first: k3's idle threads spin for a while after a run.
    eager = kimi_eager.KimiK3(MODEL)
    tokens = torch.from_numpy(ids).long()
    theirs = eager(tokens).float().numpy()

    def eager_prefill():
        eager.reset()
        eager(tokens)

    result["prefill_700_torch_s"] = median(eager_prefill, 5)
    eager.reset()
    eager(tokens[:16])
    result["decode_torch_s"] = median(lambda: eager(tokens[20:21]), 50)

    start = time.perf_counter()
    model = k3.load(artefact, MODEL)
    session = model.session(threads=threads, capacity=4096)
    slot = session.create()
    call(session, "prefill", ids[:16], slot)
    result["load_first_token_s"] = time.perf_counter() - start
    session.reset(slot)
    ours = call(session, "score", ids, slot)
    result["same_top_token"] = float(
        (ours.argmax(1) == theirs.argmax(1)).mean())

    def prefill():
        session.reset(slot)
        call(session, "prefill", ids, slot)

    result["prefill_700_s"] = median(prefill, 9)
    session.reset(slot)
    call(session, "prefill", ids[:16], slot)
    result["decode_s"] = median(
        lambda: call(session, "decode", ids[20:21], slot), 200)
    result["decode_ratio"] = result["decode_torch_s"] / result["decode_s"]
    result["prefill_ratio"] = (result["prefill_700_torch_s"] /
                               result["prefill_700_s"])
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT,
                            capture_output=True, text=True, check=True)
    cpu = next((line.split(":")[1].strip()
                for line in open("/proc/cpuinfo") if "model name" in line),
               platform.processor())
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        report = {
            "date": datetime.date.today().isoformat(),
            "commit": commit.stdout.strip(),
            "cpu": cpu,
            "threads": options.threads,
            "torch": torch.__version__,
            "k3_tiny": tiny(options.bin, work, options.threads),
            "kda_layer": kda_layer.compare(options.bin, work, options.threads,
                                           compile_model, median),
        }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
