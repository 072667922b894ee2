// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's memory as a space.

#ifndef K3_RUNTIME_DEVICE_CPU_HOSTSPACE_H
#define K3_RUNTIME_DEVICE_CPU_HOSTSPACE_H

#include "runtime/device/MemorySpace.h"

namespace k3::cpu {

/// Without state: there is one for everybody.
MemorySpace &hostSpace();

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_HOSTSPACE_H
