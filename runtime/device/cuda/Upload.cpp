// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event a page says when it may be filled again.

#include "runtime/device/cuda/Upload.h"

#include <algorithm>
#include <cstring>

using namespace k3;
using namespace k3::cuda;

namespace {
constexpr size_t pageBytes = 16 << 20;
} // namespace

Upload::~Upload() {
  Device::Use use(queue.device());
  if (!use.ok())
    return;
  const Api &api = queue.device().api();
  for (Page &page : pages) {
    if (page.inUse)
      api.cuEventSynchronize(page.sent);
    if (page.sent)
      api.cuEventDestroy_v2(page.sent);
    if (page.memory)
      api.cuMemFreeHost(page.memory);
  }
}

Status Upload::prepare(Page &page) {
  Device &device = queue.device();
  const Api &api = device.api();
  if (!page.memory)
    K3_TRY(device.check(api.cuMemHostAlloc(&page.memory, pageBytes, 0),
                        "cuMemHostAlloc", "pinned memory for weights"));
  if (!page.sent)
    K3_TRY(device.check(api.cuEventCreate(&page.sent, eventDisableTiming),
                        "cuEventCreate"));
  if (page.inUse)
    K3_TRY(device.check(api.cuEventSynchronize(page.sent), "cuEventSynchronize",
                        "copying weights"));
  page.inUse = false;
  return {};
}

Status Upload::send(CUdeviceptr to, std::span<const uint8_t> from) {
  Device &device = queue.device();
  while (!from.empty()) {
    Page &page = pages[next++ % pages.size()];
    K3_TRY(prepare(page));
    size_t bytes = std::min(from.size(), pageBytes);
    std::memcpy(page.memory, from.data(), bytes);
    K3_TRY(queue.upload(to, page.memory, bytes));
    K3_TRY(device.check(device.api().cuEventRecord(page.sent, queue.stream()),
                        "cuEventRecord"));
    page.inUse = true;
    to += bytes;
    from = from.subspan(bytes);
  }
  return {};
}
