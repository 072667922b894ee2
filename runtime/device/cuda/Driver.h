// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda.so.1, opened at run time.

#ifndef K3_RUNTIME_DEVICE_CUDA_DRIVER_H
#define K3_RUNTIME_DEVICE_CUDA_DRIVER_H

#include "runtime/base/Status.h"
#include "runtime/device/cuda/Api.h"

#include <memory>

namespace k3::cuda {

/// The least driver that has every function used here: 12.0.
constexpr int leastDriver = 12000;

/// Never unloaded: CUDA does not support that.
class Driver {
public:
  /// Opens libcuda.so.1, or the file that the environment variable
  /// K3_LIBCUDA names, and initialises it.
  static Status open(std::shared_ptr<const Driver> &out);

  const Api &api() const { return functions; }
  /// 13000 for 13.0.
  int version() const { return driverVersion; }
  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string nameOf(CUresult result) const;

private:
  Status load();
  Status initialise();

  Api functions;
  int driverVersion = 0;
};

/// "12.4" for 12040.
std::string versionText(int version);

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_DRIVER_H
