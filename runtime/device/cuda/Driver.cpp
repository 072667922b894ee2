// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlopen, then version, then symbols, then cuInit: so that an old driver is
// named as such and not by what it lacks.

#include "runtime/device/cuda/Driver.h"

#include "runtime/base/Escape.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace k3;
using namespace k3::cuda;

namespace {

constexpr const char *install =
    "install NVIDIA's driver; compiling, and running on the CPU, need none";

Status refuse(int number, const std::string &text, std::string help = {}) {
  return Status::error(Code::Environment, number, text, std::move(help));
}

std::string noDeviceText() {
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return "no CUDA device" +
         (visible ? " (CUDA_VISIBLE_DEVICES is " + quote(visible) + ")"
                  : std::string());
}

} // namespace

std::string k3::cuda::versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

Status Driver::open(std::shared_ptr<const Driver> &out) {
  auto driver = std::make_shared<Driver>();
  K3_TRY(driver->load());
  K3_TRY(driver->initialise());
  out = std::move(driver);
  return {};
}

Status Driver::load() {
  const char *named = std::getenv("K3_LIBCUDA");
  std::string path = named && *named ? named : "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *why = dlerror();
    return refuse(901,
                  "CUDA driver not found (" +
                      escaped(why ? why : path.c_str()) + ")",
                  install);
  }
  auto find = [&](const char *symbol) { return dlsym(library, symbol); };
  functions.cuDriverGetVersion =
      reinterpret_cast<decltype(functions.cuDriverGetVersion)>(
          find("cuDriverGetVersion"));
  if (functions.cuDriverGetVersion &&
      functions.cuDriverGetVersion(&driverVersion) != success)
    driverVersion = 0;
  if (driverVersion && driverVersion < leastDriver)
    return refuse(902,
                  "the CUDA driver is for " + versionText(driverVersion) +
                      ", older than the " + versionText(leastDriver) +
                      " that this runtime needs",
                  install);
#define K3_CUDA_FIND(name, parameters)                                         \
  functions.name = reinterpret_cast<decltype(functions.name)>(find(#name));    \
  if (!functions.name)                                                         \
    return refuse(903,                                                         \
                  escaped(path) +                                              \
                      " has no function '" #name                               \
                      "', which drivers have since " +                         \
                      versionText(leastDriver) + " at the latest",             \
                  install);
  K3_CUDA_FUNCTIONS(K3_CUDA_FIND)
#undef K3_CUDA_FIND
  return {};
}

Status Driver::initialise() {
  CUresult result = functions.cuInit(0);
  switch (result) {
  case success:
    return {};
  case noDevice:
    return refuse(904, noDeviceText());
  case stubLibrary:
    return refuse(902,
                  "libcuda.so.1 is the stub that programs are linked "
                  "with, not a driver",
                  install);
  case systemDriverMismatch:
  case compatNotSupported:
    return refuse(
        902, "the CUDA driver does not fit the kernel's: " + nameOf(result),
        "install driver and kernel module of one version");
  default:
    return refuse(904, "CUDA cannot be initialised: " + nameOf(result));
  }
}

std::string Driver::nameOf(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (functions.cuGetErrorName(result, &name) != success || !name)
    return "CUDA error " + std::to_string(result);
  if (functions.cuGetErrorString(result, &text) != success || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}
