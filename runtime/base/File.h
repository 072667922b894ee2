// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading of regular files, by path or beneath a folder, whole or in pieces.

#ifndef K3_RUNTIME_BASE_FILE_H
#define K3_RUNTIME_BASE_FILE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace k3 {

/// Owns a file descriptor.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd; }
  int release() { return std::exchange(fd, -1); }

private:
  int fd = -1;
};

/// An open regular file. Its bytes are copied, never mapped, so that a file
/// that is cut while it is read gives an error and not a signal. Reads may run
/// on several threads.
class InputFile {
public:
  /// Follows links; refuses folders, pipes and devices.
  static Status open(const std::string &path, InputFile &out);

  uint64_t size() const { return bytes; }
  const std::string &path() const { return name; }
  /// Whether both are one file on disk.
  bool isSameFile(const InputFile &other) const {
    return device == other.device && inode == other.inode;
  }
  /// Fills `out` with the bytes from `offset`.
  Status read(uint64_t offset, std::span<uint8_t> out) const;

private:
  friend class Folder;
  /// Takes an open descriptor; `path` is for messages.
  static Status adopt(Descriptor fd, std::string path, InputFile &out);

  Descriptor fd;
  uint64_t bytes = 0, device = 0, inode = 0;
  std::string name;
};

/// An open folder. Files are looked up from its descriptor, so that nothing
/// outside of it is ever opened.
class Folder {
public:
  static Status open(const std::string &path, Folder &out);

  const std::string &path() const { return name; }
  /// Whether there is an entry of that plain name, of whatever kind.
  bool has(const std::string &file) const;
  /// The plain names in it, sorted; at most `most`.
  Status list(size_t most, std::vector<std::string> &out) const;
  /// Opens a regular file beneath the folder. Absolute paths, '..', links and
  /// anything that is not a regular file are refused.
  Status openFile(const std::string &file, InputFile &out) const;

private:
  Descriptor fd;
  std::string name;
};

/// The whole file, refused when it has more than `most` bytes.
Status readFile(const std::string &path, uint64_t most,
                std::vector<uint8_t> &out);
Status readFile(const InputFile &file, uint64_t most,
                std::vector<uint8_t> &out);

} // namespace k3

#endif // K3_RUNTIME_BASE_FILE_H
