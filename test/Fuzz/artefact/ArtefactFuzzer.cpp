// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as an artefact. A mutator makes the digests right again, so that
// what lies behind them is reached.

#include "runtime/base/Sha256.h"
#include "runtime/format/ArtefactLayout.h"
#include "runtime/format/ArtefactReader.h"
#include "runtime/format/Artefact_generated.h"

#include <algorithm>
#include <cstdlib>

using namespace k3;
using namespace k3::layout;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static void require(bool condition) {
  if (!condition)
    std::abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint8_t> copy(data, data + size);
  ArtefactView view;
  Status status = readArtefact(copy, view);
  if (!status.ok()) {
    require(status.code() == Code::BadInput && status.number() >= 301 &&
            status.number() <= 312 && !status.render().empty());
    return 0;
  }
  require(view.index && !view.section("index").empty());
  // Shared parts are unpacked once for each use.
  constexpr size_t mostUnpacked = 1 << 13;
  if (size <= mostUnpacked) {
    std::unique_ptr<artefact::IndexT> index(view.index->UnPack());
    for (const auto &entry : index->entries)
      for (const auto &command : entry->commands)
        require(command->kind != artefact::CommandKind::Launch ||
                size_t(command->kernel) < index->kernels.size());
  }
  return 0;
}

static void putDigest(uint8_t *to, std::span<const uint8_t> bytes) {
  Digest digest = sha256Of(bytes);
  std::copy(digest.begin(), digest.end(), to);
}

/// Makes identifier, sizes and digests right, where there is room for them.
static void fix(uint8_t *data, size_t size) {
  if (size < headerBytes + rowBytes)
    return;
  auto fits = uint32_t((size - headerBytes) / rowBytes);
  auto count = load<uint32_t>(data + countAt);
  count = std::clamp<uint32_t>(count, 1, std::min(fits, mostSections));
  uint64_t head = headerBytes + rowBytes * count, total = size;
  auto headSize = uint32_t(head);
  std::memcpy(data + headerSizeAt, &headSize, sizeof(headSize));
  std::memcpy(data + identifierAt, identifier, sizeof(identifier));
  std::memcpy(data + countAt, &count, sizeof(count));
  std::memcpy(data + fileSizeAt, &total, sizeof(total));
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t *row = data + headerBytes + rowBytes * i;
    auto offset = load<uint64_t>(row + offsetAt);
    auto bytes = load<uint64_t>(row + sizeAt);
    if (i + 1 == count && offset <= size) {
      bytes = size - offset;
      std::memcpy(row + sizeAt, &bytes, sizeof(bytes));
    }
    if (offset <= size && bytes <= size - offset)
      putDigest(row + digestAt, {data + offset, bytes});
  }
  std::fill_n(data + headerDigestAt, digestBytes, uint8_t(0));
  putDigest(data + headerDigestAt, {data, head});
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                               unsigned seed) {
  // Mostly the sections change, and the header stays; sometimes all of it.
  constexpr size_t head = headerBytes + 2 * rowBytes;
  if (size > head && seed % 4 != 0)
    size = head + LLVMFuzzerMutate(data + head, size - head, size - head);
  else
    size = LLVMFuzzerMutate(data, size, maxSize);
  if (seed % 16 != 1)
    fix(data, size);
  return size;
}
