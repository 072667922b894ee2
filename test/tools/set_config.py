# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a changed copy of a model folder's config.json, and nothing else.

usage: set_config.py FROM TO [set KEY JSON | unset KEY]...

`a.b` is the key b inside a.
"""

import json
import os
import sys


def edit_config(config, edit, key, value=None):
    *path, last = key.split(".")
    for part in path:
        config = config[part]
    if edit == "unset":
        del config[last]
    else:
        config[last] = json.loads(value)


def main(source, target, *edits):
    with open(os.path.join(source, "config.json")) as file:
        config = json.load(file)
    edits = list(edits)
    while edits:
        operands = [edits.pop(0) for _ in range(3 if edits[0] == "set" else 2)]
        edit_config(config, *operands)
    with open(os.path.join(target, "config.json"), "w") as file:
        json.dump(config, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
