#!/bin/sh
# Writes the reference of the dialect and of the passes from their TableGen
# files; with --check, fails when docs/generated is not fresh.
set -eu
cd "$(dirname "$0")/.."
out=docs/generated
[ "${1:-}" = --check ] && out=$(mktemp -d)
tblgen=/usr/lib/llvm-22/bin/mlir-tblgen
include="-I include -I /usr/lib/llvm-22/include"

$tblgen -gen-dialect-doc -dialect=k3 $include \
  include/k3/Dialect/K3/IR/K3Ops.td -o "$out/Dialect.md"
$tblgen -gen-dialect-doc -dialect=k3t $include \
  include/k3/Dialect/Tile/IR/TileOps.td -o "$out/TileDialect.md"
for passes in Dialect/K3/Transforms Fusion Conversion/KernelToLLVM \
    Dialect/Tile/Transforms Conversion/TileToNVVM; do
  echo "# $passes"
  echo
  $tblgen -gen-pass-doc $include "include/k3/$passes/Passes.td"
done > "$out/Passes.md"

if [ "${1:-}" = --check ]; then
  diff -r docs/generated "$out" >/dev/null || {
    echo "docs/generated is not fresh: run scripts/generate-docs.sh" >&2
    exit 1
  }
  rm -r "$out"
fi
