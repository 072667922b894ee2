# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs k3-check on every case that k3-op-golden wrote into a folder.

usage: check_goldens.py FOLDER [k3-check flags...]
Compiled results must be within the bound of the golden ones, and every value
within the bounds of the reference.
"""

import concurrent.futures
import pathlib
import subprocess
import sys


def check(module, flags):
    stem = str(module.with_suffix(""))
    command = ["k3-check", str(module), "--entry=main", "--only-failures",
               f"--in={stem}.in.safetensors", f"--expect={stem}.out.safetensors"]
    weights = pathlib.Path(stem + ".weights.safetensors")
    if weights.exists():
        command.append(f"--weights={weights}")
    run = subprocess.run(command + flags, capture_output=True, text=True)
    return module.stem, run.returncode, run.stdout + run.stderr


def main():
    modules = sorted(pathlib.Path(sys.argv[1]).glob("*.mlir"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, code, text in pool.map(lambda m: check(m, sys.argv[2:]),
                                         modules):
            if code:
                failed += 1
                print(f"{name}: exit code {code}\n{text}")
    print(f"{len(modules) - failed} of {len(modules)} cases agree")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
