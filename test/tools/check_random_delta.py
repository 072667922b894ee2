# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random recurrences: the reference against compiled code, recurrent and
chunked.

usage: check_random_delta.py FOLDER FIRST_SEED COUNT [k3-check flags...]
Whole values are bounded; a row may be what cancellation leaves of far larger
terms, so rows are not.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys


def check(folder, seed, form, flags):
    stem = folder / f"seed{seed}"
    run = subprocess.run(
        ["k3-check", f"{stem}.mlir", "--entry=main",
         f"--in={stem}.in.safetensors", f"--recurrence={form}",
         "--max-row=inf"] + flags,
        capture_output=True, text=True)
    ratios = re.findall(r"^ *\S+ +(\S+) +\S+ +(?:ok|WRONG) ", run.stdout, re.M)
    return seed, form, run, max(map(float, ratios), default=0)


def main():
    folder, first, count = pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:4])
    subprocess.run(["k3-random-delta", folder, str(first), str(count)],
                   check=True)
    worst, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(check, folder, seed, form, sys.argv[4:])
                for seed in range(first, first + count)
                for form in ("recurrent", "chunked")]
        for done in runs:
            seed, form, run, ratio = done.result()
            worst[form] = max(worst.get(form, (0, 0)), (ratio, seed))
            if run.returncode:
                failed += 1
                print(f"seed {seed}, {form}: exit code {run.returncode}\n"
                      f"{run.stdout}{run.stderr}")
    for form, (ratio, seed) in worst.items():
        print(f"{form}: largest rms ratio {ratio:.2e}, seed {seed}")
    print(f"{2 * count - failed} of {2 * count} runs agree")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
