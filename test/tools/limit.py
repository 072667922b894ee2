# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and fails when it takes longer or more memory than allowed.

usage: limit.py --seconds N --mib N COMMAND...
"""

import resource
import subprocess
import sys
import time


def main(seconds, mib, command):
    start = time.monotonic()
    code = subprocess.run(command).returncode
    took = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"limit.py: {took:.1f} s, {peak:.0f} MiB", flush=True)
    if took > seconds or peak > mib:
        sys.exit(f"limit.py: more than {seconds} s or {mib} MiB")
    sys.exit(code)


if __name__ == "__main__":
    main(float(sys.argv[2]), float(sys.argv[4]), sys.argv[5:])
