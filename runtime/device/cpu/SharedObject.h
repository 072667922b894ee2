// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF shared object loaded from memory.

#ifndef K3_RUNTIME_DEVICE_CPU_SHAREDOBJECT_H
#define K3_RUNTIME_DEVICE_CPU_SHAREDOBJECT_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace k3::cpu {

/// Owns the mapping; addresses of symbols die with it.
class SharedObject {
public:
  SharedObject() = default;
  SharedObject(SharedObject &&other) noexcept { *this = std::move(other); }
  SharedObject &operator=(SharedObject &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(file, other.file);
    return *this;
  }
  ~SharedObject();

  /// Loads `bytes` through an anonymous file, so nothing touches a disk. The
  /// bytes must come from a trusted artefact: loading is running.
  static Status load(std::span<const uint8_t> bytes, SharedObject &out);

  /// The address of an exported symbol, or null.
  void *find(const char *symbol) const;

private:
  void *handle = nullptr;
  /// Stays open: the loader tells objects apart by path, and the path holds
  /// the descriptor's number.
  int file = -1;
};

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_SHAREDOBJECT_H
