// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that appears whole or not at all: written beside its target, flushed,
// renamed.

#ifndef K3_RUNTIME_BASE_ATOMICFILE_H
#define K3_RUNTIME_BASE_ATOMICFILE_H

#include "runtime/base/File.h"

namespace k3 {

/// Dropped without `commit`, it leaves the target as it was and no other file.
class AtomicFile {
public:
  AtomicFile() = default;
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;
  ~AtomicFile();

  /// Whether `path` can be written, before any work is done for it: the
  /// folder is there and writable, the target absent or a regular file, or the
  /// standard output ("-" or "/dev/stdout") or "/dev/null".
  static Status check(const std::string &path);

  /// Opens "<path>.tmp.<pid>" (and a number, when that is taken). Such files
  /// of processes that are gone are removed.
  Status create(const std::string &path);
  Status write(std::span<const uint8_t> bytes);
  Status write(std::string_view text);
  /// Flushes and renames. To the standard output, bytes go as they come.
  Status commit();

private:
  Status fail(const char *what, int error) const;
  Status createBeside(const std::string &name);

  std::string target;
  std::string temporary; // a name in `folder`
  std::string finalName; // a name in `folder`
  Descriptor folder, file;
  uint64_t written = 0;
  bool streams = false;
};

/// Writes a whole file; "-" and "/dev/stdout" are the standard output.
Status writeFile(const std::string &path, std::span<const uint8_t> bytes);
Status writeFile(const std::string &path, std::string_view text);

} // namespace k3

#endif // K3_RUNTIME_BASE_ATOMICFILE_H
