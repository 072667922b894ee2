#!/usr/bin/env python3
"""Checks the op cards against the tests: each constraint Cn of an op has a test
@OP_cN in test/Dialect/K3/OP, and each example is part of the op's doctest.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CARD = re.compile(r'def K3_\w+Op\s*: K3_(?:Chunk)?Op<"(\w+)".*?\n}\n', re.S)
EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.S)
# A label begins a sentence; "as C2 of `k3.kernel`" refers to another card.
LABEL = re.compile(r"(?:Constraints:|\.)\s+C(\d+)\b")


def cards():
    for source in sorted((ROOT / "include/k3/Dialect/K3/IR").glob("*Ops.td")):
        for match in CARD.finditer(source.read_text()):
            yield match.group(1), match.group(0)


def squeezed(text):
    return " ".join(text.split())


def check(op, card):
    folder = ROOT / "test/Dialect/K3" / op
    doctest = folder / "doctest.mlir"
    if not doctest.exists():
        yield f"{op}: no {doctest.relative_to(ROOT)}"
        return
    example = EXAMPLE.search(card)
    if example and squeezed(example.group(1)) not in squeezed(
            doctest.read_text()):
        yield f"{op}: {doctest.relative_to(ROOT)} lacks the card's example"
    tests = "".join(path.read_text() for path in folder.glob("*.mlir"))
    numbers = [int(number) for number in LABEL.findall(card)]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"{op}: constraints are numbered {numbers}"
    for number in numbers:
        if not re.search(rf"@{op}_c{number}(?!\d)", tests):
            yield f"{op}: no test @{op}_c{number} for constraint C{number}"


def main():
    faults, count = [], 0
    for op, card in cards():
        faults += check(op, card)
        count += len(LABEL.findall(card))
    for fault in faults:
        print(fault)
    print(f"{count} constraints, {len(faults)} faults")
    return bool(faults) or count == 0


sys.exit(main())
