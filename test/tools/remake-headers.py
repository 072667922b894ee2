# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a model folder's headers and config with changes, without its data.

usage: remake-headers.py FROM TO [EDIT...]

  drop NAME              leaves a tensor out
  add NAME DTYPE SHAPE   adds one; SHAPE is 3,4 or an empty string
  rename OLD NEW         replaces a part of every tensor name
  shape NAME SHAPE       gives a tensor another shape
  dtype NAME DTYPE       gives a tensor another element type
  set KEY JSON           sets a key of config.json; a.b is b inside a
  unset KEY              removes one

`*` in NAME stands for anything. An edit that changes nothing is an error, so
that a test cannot pass by misspelling a name.
"""

import fnmatch
import json
import os
import sys

from set_config import edit_config
from sparse_safetensors import read_header, write_sparse

OPERANDS = {"drop": 1, "add": 3, "rename": 2, "shape": 2, "dtype": 2, "set": 2,
            "unset": 1}


def parse_shape(text):
    return [int(size) for size in text.split(",") if size]


def edit_tensors(tensors, edit, name, *operands):
    def matches(tensor):
        return fnmatch.fnmatchcase(tensor[0], name)

    if edit == "drop":
        return [tensor for tensor in tensors if not matches(tensor)]
    if edit == "add":
        dtype, shape = operands
        return tensors + [(name, dtype, parse_shape(shape))]
    if edit == "rename":
        return [(old.replace(name, operands[0]), dtype, shape)
                for old, dtype, shape in tensors]
    if edit == "shape":
        return [(tensor[0], tensor[1], parse_shape(operands[0]))
                if matches(tensor) else tensor for tensor in tensors]
    return [(tensor[0], operands[0], tensor[2]) if matches(tensor) else tensor
            for tensor in tensors]


def main(source, target, *edits):
    tensors = []
    for file in sorted(os.listdir(source)):
        if file.endswith(".safetensors"):
            tensors += read_header(os.path.join(source, file))
    with open(os.path.join(source, "config.json")) as file:
        config = json.load(file)
    edits = list(edits)
    while edits:
        edit = edits.pop(0)
        operands = [edits.pop(0) for _ in range(OPERANDS[edit])]
        if edit in ("set", "unset"):
            edit_config(config, edit, *operands)
            continue
        changed = edit_tensors(tensors, edit, *operands)
        if changed == tensors:
            sys.exit(f"{edit} {' '.join(operands)}: changes nothing")
        tensors = changed
    os.makedirs(target, exist_ok=True)
    write_sparse(os.path.join(target, "model.safetensors"), tensors)
    with open(os.path.join(target, "config.json"), "w") as file:
        json.dump(config, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
