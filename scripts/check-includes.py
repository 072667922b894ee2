#!/usr/bin/env python3
"""Checks that data flows one way: a layer includes only itself and layers
before it, the runtime nothing of MLIR, the compiler only the runtime's readers.
"""

import pathlib
import re
import sys

ORDER = ["Support", "Import", "Dialect", "Fusion", "Schedule", "TileReference",
         "Conversion", "Target", "Standalone", "Artefact", "Reference",
         "Pipeline"]
# Import makes k3 IR, so it sees the dialect that comes after it.
ALSO = {"Import": {"Dialect"}, "Conversion": {"Target"}}
RUNTIME_FOR_COMPILER = {"format", "base"}

root = pathlib.Path(__file__).resolve().parent.parent
faults = []
for source in sorted(root.glob("lib/**/*.[ch]*")) + sorted(
        root.glob("include/k3/**/*.h")):
    layer = source.relative_to(root / ("lib" if source.is_relative_to(
        root / "lib") else "include/k3")).parts[0]
    for line in source.read_text().splitlines():
        match = re.match(r'#include "(k3|runtime)/(\w+)', line)
        if not match:
            continue
        tree, other = match.groups()
        if tree == "runtime":
            allowed = (other in RUNTIME_FOR_COMPILER or
                       (layer == "Reference" and other == "weights"))
        else:
            allowed = (ORDER.index(other) <= ORDER.index(layer) or
                       other in ALSO.get(layer, set()))
        if not allowed:
            faults.append(f"{source.relative_to(root)}: {line}")
for source in sorted(root.glob("runtime/**/*.[ch]*")):
    for line in source.read_text().splitlines():
        if re.match(r'#include ["<](mlir|llvm|k3)/', line):
            faults.append(f"{source.relative_to(root)}: {line}")
for fault in faults:
    print(f"include against the flow of data: {fault}")
sys.exit(bool(faults))
