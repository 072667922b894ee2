# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Safetensors files whose data is a hole: right headers and sizes, no bytes."""

import json
import struct

BITS = {"F64": 64, "I64": 64, "F32": 32, "I32": 32, "BF16": 16, "F16": 16,
        "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8}


def byte_size(dtype, shape):
    count = 1
    for size in shape:
        count *= size
    return count * BITS[dtype] // 8


def read_header(path):
    """The tensors of a file as [(name, dtype, shape)], in file order."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    entries = sorted(header.items(), key=lambda item: item[1]["data_offsets"])
    return [(name, info["dtype"], info["shape"]) for name, info in entries]


def write_sparse(path, tensors):
    """Writes [(name, dtype, shape)]; returns the number of data bytes."""
    header, offset = {}, 0
    for name, dtype, shape in tensors:
        end = offset + byte_size(dtype, shape)
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        file.truncate(8 + len(text) + offset)
    return offset


def write_index(path, weight_map, total_size):
    with open(path, "w") as file:
        json.dump({"metadata": {"total_size": total_size},
                   "weight_map": weight_map}, file, separators=(",", ":"))
