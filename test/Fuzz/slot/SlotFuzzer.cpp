// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads saved slots. A mutation often breaks the digest, which would hide all
// that is checked behind it, so half of the mutants get the right one.

#include "runtime/base/Sha256.h"
#include "runtime/format/SafetensorsHeader.h"
#include "runtime/state/SlotFile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace k3;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

const std::vector<state::StateSpec> states = {{"S", K3_F32, {2, 3}},
                                              {"cache", K3_BF16, {-1, 4}}};

/// The digest of docs in runtime/state/SlotFile.cpp over the file's content.
std::string digestOf(const SafetensorsHeader &header,
                     std::span<const uint8_t> data) {
  std::vector<SafetensorsTensor> tensors = header.tensors;
  std::sort(tensors.begin(), tensors.end(),
            [](auto &a, auto &b) { return a.name < b.name; });
  Sha256 hash;
  auto add = [&](const std::string &text) {
    hash.update(std::string_view(text.c_str(), text.size() + 1));
  };
  for (const auto &[key, value] : header.metadata)
    if (key != "sha256") {
      add(key);
      add(value);
    }
  for (const SafetensorsTensor &tensor : tensors) {
    add(tensor.name);
    add(std::string(tensor.dtype));
    add(shapeText(tensor.shape));
    hash.update(data.subspan(tensor.begin, tensor.bytes()));
  }
  return hash.hex();
}

void fixDigest(uint8_t *data, size_t size) {
  uint64_t length = 0;
  if (size < 8)
    return;
  std::memcpy(&length, data, 8);
  if (length > size - 8)
    return;
  SafetensorsHeader header;
  std::span<const uint8_t> content(data + 8 + length, size - 8 - length);
  if (!parseSafetensorsHeader({data + 8, size_t(length)}, content.size(),
                              header)
           .ok())
    return;
  constexpr std::string_view key = "\"sha256\":\"";
  uint8_t *end = data + 8 + length;
  uint8_t *at = std::search(data + 8, end, key.begin(), key.end());
  if (size_t(end - at) < key.size() + 64)
    return;
  std::memcpy(at + key.size(), digestOf(header, content).data(), 64);
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 2)
    fixDigest(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int file = memfd_create("slot", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  static std::unique_ptr<state::SlotPool> pool;
  static int32_t slot = 0;
  if (!pool && (!state::SlotPool::create(states, 1, 8, pool).ok() ||
                !pool->acquire(slot).ok()))
    std::abort();
  if (ftruncate(file, off_t(size)) != 0 ||
      pwrite(file, data, size, 0) != ssize_t(size))
    std::abort();
  Status status = state::loadSlot(*pool, slot, {"model", "f32"}, path);
  if (!status.ok() && status.number() == 0)
    std::abort();
  return 0;
}
