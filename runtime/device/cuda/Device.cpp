// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primary context, shared with other CUDA code of the process; and results
// of the driver sorted into refusals, faults and losses.

#include "runtime/device/cuda/Device.h"

#include "runtime/base/Escape.h"
#include "runtime/device/cpu/Memory.h"

#include <algorithm>
#include <cstdlib>

using namespace k3;
using namespace k3::cuda;

namespace {

/// Faults of a kernel that end its context.
bool isFault(CUresult result) {
  switch (result) {
  case illegalAddress:
  case launchTimeout:
  case assertion:
  case hardwareStackError:
  case illegalInstruction:
  case misalignedAddress:
  case invalidAddressSpace:
  case invalidPc:
  case launchFailed:
    return true;
  default:
    return false;
  }
}

/// Ends of the device or the driver.
bool isLoss(CUresult result) {
  switch (result) {
  case deinitialized:
  case eccUncorrectable:
  case nvlinkUncorrectable:
  case contextIsDestroyed:
  case systemNotReady:
    return true;
  default:
    return false;
  }
}

} // namespace

Status Device::open(int ordinal, std::shared_ptr<Device> &out) {
  std::shared_ptr<Device> device(new Device);
  K3_TRY(Driver::open(device->driverRef));
  device->number = ordinal;
  const Api &api = device->api();
  int count = 0;
  K3_TRY(device->check(api.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (ordinal < 0 || ordinal >= count) {
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return Status::error(
        Code::Environment, 904,
        count == 0 ? "no CUDA device"
                   : "there is no " + device->name() + ", only cuda:0" +
                         (count > 1 ? " to cuda:" + std::to_string(count - 1)
                                    : std::string()),
        visible ? "CUDA_VISIBLE_DEVICES is " + quote(visible) : "");
  }
  K3_TRY(
      device->check(api.cuDeviceGet(&device->handle, ordinal), "cuDeviceGet"));
  K3_TRY(device->openContext());
  out = std::move(device);
  return {};
}

Status Device::openContext() {
  char text[256] = {};
  K3_TRY(check(api().cuDeviceGetName(text, sizeof(text) - 1, handle),
               "cuDeviceGetName"));
  model = text;
  struct {
    DeviceAttribute attribute;
    int *value;
  } wanted[] = {
      {capabilityMajor, &capability[0]}, {capabilityMinor, &capability[1]},
      {maxThreadsPerBlock, &threads},    {maxSharedMemoryOptin, &shared},
      {clusterLaunch, &clusters},        {memoryPoolsSupported, &pools}};
  for (auto &[attribute, value] : wanted)
    K3_TRY(check(api().cuDeviceGetAttribute(value, attribute, handle),
                 "cuDeviceGetAttribute"));
  CUcontext opened = nullptr;
  CUresult result = api().cuDevicePrimaryCtxRetain(&opened, handle);
  if (result == deviceUnavailable)
    return Status::error(Code::Environment, 904,
                         fullName() +
                             " is held exclusively by another process");
  K3_TRY(check(result, "cuDevicePrimaryCtxRetain"));
  context = opened;
  return {};
}

Device::~Device() {
  if (context && !isLost())
    api().cuDevicePrimaryCtxRelease_v2(handle);
}

std::string Device::fullName() const {
  return name() + " (" + model + ", sm_" +
         std::to_string(major() * 10 + minor()) + ")";
}

Device::Use::Use(Device &device) : device(device) {
  if (device.isLost()) {
    status = device.lostStatus();
    return;
  }
  CUresult result = device.api().cuCtxPushCurrent_v2(device.context);
  active = result == success;
  if (!active)
    status = device.check(result, "cuCtxPushCurrent");
}

Device::Use::~Use() {
  CUcontext popped;
  if (active)
    device.api().cuCtxPopCurrent_v2(&popped);
}

Status Device::lostStatus() {
  std::lock_guard<std::mutex> lock(mutex);
  return Status::error(Code::DeviceFault, 914, name() + " is lost: " + reason,
                       "restart the process");
}

Status Device::check(CUresult result, const char *call,
                     const std::string &where) {
  if (result == success)
    return {};
  bool fault = isFault(result), loss = isLoss(result);
  std::string text = where;
  if (fault || loss)
    text = where.empty() ? "seen by " + std::string(call) : where;
  else if (where.empty())
    text = call;
  text += ": " + driverRef->nameOf(result);
  if (fault || loss) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!lost.exchange(true, std::memory_order_acq_rel))
      reason = text;
    return Status::error(Code::DeviceFault, fault ? 912 : 913,
                         name() + (fault ? ": " : " failed: ") + text,
                         fault ? "restart the process; K3_SYNC=1 in its "
                                 "environment has the step named exactly"
                               : "restart the process");
  }
  if (result == outOfMemory)
    return Status::error(Code::Resources, 910, name() + ": " + text);
  if (result == launchOutOfResources)
    return Status::error(Code::DeviceFault, 911, name() + ": " + text);
  if (result == deviceUnavailable)
    return Status::error(Code::Environment, 904, name() + ": " + text);
  return Status::error(Code::DeviceFault, 915, name() + ": " + text);
}

Status Device::refuseMemory(uint64_t bytes, const std::string &what) {
  size_t free = 0, total = 0;
  std::string text = what + ": needs " + cpu::sizeText(bytes) + " on " + name();
  if (api().cuMemGetInfo_v2(&free, &total) == success)
    text += ", " + cpu::sizeText(free) + " free";
  auto part = [&](const char *name, MemoryUse use) {
    return name + (" " + cpu::sizeText(uint64_t(
                             std::max<int64_t>(0, held[size_t(use)]))));
  };
  return Status::error(Code::Resources, 910,
                       text + " (held: " + part("weights", MemoryUse::Weights) +
                           ", " + part("states", MemoryUse::States) + ", " +
                           part("workspace", MemoryUse::Workspace) + ")");
}
