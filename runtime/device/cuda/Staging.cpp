// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One event a page.

#include "runtime/device/cuda/Staging.h"

#include <algorithm>

using namespace k3;
using namespace k3::cuda;

namespace {
constexpr uint64_t leastPage = 64 << 10;
} // namespace

Staging::~Staging() {
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

Status Staging::isFree(Page &page, bool &free) {
  free = !page.kept && !page.inUse;
  if (page.kept || !page.inUse)
    return {};
  CUresult result = queue.device().api().cuEventQuery(page.sent);
  if (result == notReady)
    return {};
  K3_TRY(queue.device().check(result, "cuEventQuery"));
  page.inUse = false;
  free = true;
  return {};
}

Status Staging::add(uint64_t bytes) {
  const Api &api = queue.device().api();
  pages.emplace_back();
  Page &page = pages.back();
  void *memory = nullptr;
  uint64_t rounded = std::max(bytes, leastPage);
  CUresult result = api.cuMemHostAlloc(&memory, rounded, 0);
  if (result == success) {
    page.memory = static_cast<uint8_t *>(memory);
    page.bytes = rounded;
    result = api.cuEventCreate(&page.sent, eventDisableTiming);
  }
  if (result != success && page.memory)
    api.cuMemFreeHost(page.memory);
  if (result != success)
    pages.pop_back();
  return queue.device().check(result, "cuMemHostAlloc",
                              "pinned memory for inputs");
}

Status Staging::take(uint64_t bytes, uint8_t *&out) {
  RelaxedCapture relaxed(queue.device().api());
  for (taken = 0; taken < pages.size(); ++taken) {
    bool free;
    K3_TRY(isFree(pages[taken], free));
    if (free && pages[taken].bytes >= bytes)
      break;
  }
  if (taken == pages.size())
    K3_TRY(add(bytes));
  out = pages[taken].memory;
  return {};
}

Status Staging::send(CUdeviceptr to, uint64_t bytes) {
  Page &page = pages[taken];
  bool capturing = false;
  K3_TRY(queue.isCapturing(capturing));
  // Before the copy, so that a failure never frees what is still read.
  page.kept = capturing;
  K3_TRY(queue.upload(to, page.memory, bytes));
  if (capturing)
    return {};
  K3_TRY(queue.device().check(
      queue.device().api().cuEventRecord(page.sent, queue.stream()),
      "cuEventRecord"));
  page.inUse = true;
  return {};
}
