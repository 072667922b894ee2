#!/usr/bin/env python3
"""Checks and times the matmul tile kernel on a GPU beside cuBLAS, in one run.

    k3-kernel matmul --columns 6288 --depth 7168 \\
        --describe D/matmul-6288.json -o D/matmul-6288.cubin
    python3 bench/gpu/matmul.py D --depth 7168 --out results.json

Errors are relative Frobenius norms against float64; times are medians of CUDA
graph replays over inputs that do not fit the L2 cache.
"""

import argparse
import json
import pathlib

import torch

from launch import Kernel, graph_time


def run(kernel, x, w, y):
    rows, columns = x.shape[0], w.shape[0]
    kernel.launch(-(-rows // 128) * -(-columns // 256), [x, w, y, rows])


def error(y, x, w):
    worst = 0.0
    for first in range(0, x.shape[0], 1024):
        want = x[first:first + 1024].double() @ w.double().T
        got = y[first:first + 1024].double()
        worst = max(worst, ((got - want).norm() / want.norm()).item())
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--depth", type=int, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.zeros(1, device="cuda")
    results = {"gpu": torch.cuda.get_device_name(), "matmul": []}
    for path in sorted(arguments.folder.glob("matmul-*.cubin")):
        columns = int(path.stem.split("-")[1])
        kernel = Kernel(arguments.folder, path.stem)
        results["matmul"].append(kernel.facts)
        print(json.dumps(kernel.facts))
        half = dict(device="cuda", dtype=torch.bfloat16)
        w = torch.randn(columns, arguments.depth, **half)
        for rows in (1, 100, 128, 1000, 8192):
            x = torch.randn(rows, arguments.depth, **half)
            y = torch.full((rows, columns), float("nan"), **half)
            run(kernel, x, w, y)
            torch.cuda.synchronize()
            row = dict(rows=rows, columns=columns, depth=arguments.depth,
                       error=error(y, x, w))
            row["cublas_error"] = error(x @ w.T, x, w)
            if rows >= 1000:
                row["us"] = graph_time(lambda i: run(kernel, x, w, y))
                row["cublas_us"] = graph_time(
                    lambda i: torch.mm(x, w.T, out=y))
                operations = 2 * rows * columns * arguments.depth
                row["tflops"] = operations / row["us"] * 1e-6
            results["matmul"].append(row)
            print(json.dumps(row), flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
