# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How the compiler's tests and the tools' tests run. A test is a file with RUN
# lines; `%models` holds the example models, `%golden` their reference results,
# `%tools` the helper scripts of the tests.

import os
import shutil

import lit.formats
from lit.llvm import llvm_config

config.name = "k3"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "data", "tools"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.k3_build_dir, "test")

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.k3_tools_dir, append_path=True)

source = config.k3_source_dir
config.substitutions += [
    ("%models", os.path.join(source, "examples", "models")),
    ("%golden", os.path.join(source, "test", "data", "golden")),
    ("%data", os.path.join(source, "test", "data")),
    ("%tools", os.path.join(source, "test", "tools")),
    ("%fakecuda", os.path.join(config.k3_build_dir, "test", "support",
                               "libk3_fake_cuda.so")),
    ("%python", config.python),
]

# A tool that this build does not have makes its tests unsupported, which lit
# reports.
for tool in ("k3-import", "k3-opt", "k3-compile", "k3-run", "k3-check",
             "k3-kernel", "k3-objdump", "k3-bench", "k3-lsp-server",
             "fake-gpu-artefact"):
    if os.path.exists(os.path.join(config.k3_tools_dir, tool)):
        config.available_features.add(tool)

# NVIDIA's assembler is optional; the tools look for it in the same places.
roots = [os.environ.get(name) for name in ("CUDA_PATH", "CUDA_HOME")]
if shutil.which("ptxas") or any(
        root and os.path.exists(os.path.join(root, "bin", "ptxas"))
        for root in roots + ["/usr/local/cuda"]):
    config.available_features.add("ptxas")
for name in ("CUDA_PATH", "CUDA_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# No setting hides this one.
if os.access("/usr/local/cuda/bin/ptxas", os.X_OK):
    config.available_features.add("system-ptxas")
