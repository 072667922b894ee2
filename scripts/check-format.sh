#!/bin/sh
# Fails when a C++ file is not as clang-format leaves it, an include crosses a
# layer the wrong way, or the generated reference is not fresh.
set -eu
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.h' '*.c' | xargs -r clang-format-22 --dry-run --Werror
python3 scripts/check-includes.py
scripts/generate-docs.sh --check
