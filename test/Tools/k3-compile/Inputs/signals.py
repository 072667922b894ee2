# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts compiles, and runs several at once."""

import signal
import subprocess
import sys
import time


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def reset():
    """Undoes what a test runner in the background has set to ignore."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def interrupt(folder):
    for delay in (0.05, 0.3, 0.8):
        for number in SIGNALS:
            compile = subprocess.Popen(["k3-compile", f"{folder}/k3-tiny.mlir",
                                        "-o", f"{folder}/out.fatbin"],
                                       preexec_fn=reset)
            time.sleep(delay)
            compile.send_signal(number)
            sent = time.monotonic()
            assert compile.wait() == -number, (compile.returncode, number)
            assert time.monotonic() - sent < 1


def together(folder, source):
    command = ["k3-compile", source, "-o", f"{folder}/out.fatbin",
               "--target=x86-64-v3"]
    subprocess.run(command, check=True)
    with open(f"{folder}/out.fatbin", "rb") as file:
        want = file.read()
    for compile in [subprocess.Popen(command) for _ in range(8)]:
        assert compile.wait() == 0
    with open(f"{folder}/out.fatbin", "rb") as file:
        assert file.read() == want


if sys.argv[1] == "interrupt":
    interrupt(sys.argv[2])
else:
    together(sys.argv[2], sys.argv[3])
