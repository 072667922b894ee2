#!/bin/sh
# Installs what building and testing k3 needs on Debian 12. Does nothing when
# all of it is there.
set -eu

packages="clang-22 clang-format-22 lld-22 llvm-22-dev llvm-22-tools
libmlir-22-dev mlir-22-tools liblld-22-dev libomp-22-dev libclang-rt-22-dev
cmake ninja-build ccache make git python3 python3-numpy
libflatbuffers-dev flatbuffers-compiler nlohmann-json3-dev libssl-dev
libpcre2-dev libgtest-dev libbenchmark-dev zlib1g-dev libzstd-dev"

missing=
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
    grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

run=
if [ "$(id -u)" != 0 ]; then
  run=sudo
fi
echo "installing:$missing"
$run apt-get update -qq
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq \
  --no-install-recommends $missing >/dev/null
