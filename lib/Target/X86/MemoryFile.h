// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that live in memory only, with paths that lld can open.

#ifndef K3_LIB_TARGET_X86_MEMORYFILE_H
#define K3_LIB_TARGET_X86_MEMORYFILE_H

#include "runtime/base/Status.h"

#include "llvm/ADT/StringRef.h"

#include <thread>

namespace k3 {

/// An anonymous file with given bytes.
class MemoryFile {
public:
  MemoryFile() = default;
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile();

  Status create(llvm::StringRef bytes);
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd = -1;
};

/// A pipe whose bytes are gathered. lld replaces regular files beside their
/// path, which a file without a folder has not; it writes to pipes directly.
class MemorySink {
public:
  MemorySink() = default;
  MemorySink(const MemorySink &) = delete;
  MemorySink &operator=(const MemorySink &) = delete;
  ~MemorySink() { (void)finish(); }

  Status create();
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(writeEnd);
  }
  /// Ends the writing; everything written.
  std::string finish();

private:
  int readEnd = -1, writeEnd = -1;
  std::string gathered;
  std::thread reader;
};

} // namespace k3

#endif // K3_LIB_TARGET_X86_MEMORYFILE_H
