# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models and their reference results, shared by the tests here.

K3_BIN is the folder of the tools, K3_WORK a scratch folder, K3_LIBRARY the
runtime's shared library.
"""

import functools
import json
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import k3  # noqa: E402

BIN = pathlib.Path(os.environ["K3_BIN"])
WORK = pathlib.Path(os.environ["K3_WORK"])
GOLDEN = ROOT / "test" / "data" / "golden"
MODELS = ROOT / "examples" / "models"

WORK.mkdir(parents=True, exist_ok=True)

DTYPES = {"F32": np.float32, "I32": np.int32, "F64": np.float64,
          "I64": np.int64, "U8": np.uint8}


def tensors(path):
    """All tensors of a safetensors file."""
    data = pathlib.Path(path).read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + at for at in entry["data_offsets"])
        array = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]])
        found[name] = array.reshape(entry["shape"])
    return found


def tool(name, *arguments):
    subprocess.run([BIN / name, *map(str, arguments)], check=True)


@functools.lru_cache(None)
def artefact(model, precision="f32", recurrence="recurrent"):
    """Path of the compiled artefact of a model of examples/models."""
    source = WORK / f"{model}.{precision}.{recurrence}.{os.getpid()}.mlir"
    target = source.with_suffix(".fatbin")
    tool("k3-import", MODELS / model, "-o", source)
    tool("k3-compile", source, "-o", target, f"--precision={precision}",
         f"--recurrence={recurrence}", "--quiet")
    return target


@functools.lru_cache(None)
def load(model, precision="f32", recurrence="recurrent"):
    return k3.load(artefact(model, precision, recurrence), MODELS / model)


def call(session, entry, sequences, slots):
    """Runs an entry point on a list of token arrays."""
    bounds = np.cumsum([0] + [len(ids) for ids in sequences])
    tokens = np.concatenate([np.asarray(ids, np.int32) for ids in sequences])
    return session.run(entry, tokens=tokens, cu_seqlens=bounds,
                       slots=slots)["logits"]


def golden_prompts(model):
    """(name, tensors, greedy ids, gaps) of each prompt of golden.json."""
    info = json.loads((GOLDEN / model / "golden.json").read_text())
    for name, prompt in info["prompts"].items():
        yield (name, tensors(GOLDEN / model / prompt["file"]),
               prompt["greedy_ids"], prompt["gaps"])
