// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memfd and pipe, with loops that finish on short reads and writes.

#include "MemoryFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace k3;

static Status systemError(const char *what) {
  return Status::error(Code::Resources, 591,
                       std::string(what) + ": " + std::strerror(errno));
}

MemoryFile::~MemoryFile() {
  if (fd >= 0)
    close(fd);
}

Status MemoryFile::create(llvm::StringRef bytes) {
  fd = memfd_create("k3-link", MFD_CLOEXEC);
  if (fd < 0)
    return systemError("cannot create a memory file");
  while (!bytes.empty()) {
    ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return systemError("cannot fill a memory file");
    bytes = bytes.drop_front(done);
  }
  return {};
}

Status MemorySink::create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return systemError("cannot create a pipe");
  readEnd = ends[0];
  writeEnd = ends[1];
  reader = std::thread([this] {
    char buffer[1 << 16];
    for (;;) {
      ssize_t done = read(readEnd, buffer, sizeof buffer);
      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return;
      gathered.append(buffer, done);
    }
  });
  return {};
}

std::string MemorySink::finish() {
  if (!reader.joinable())
    return {};
  close(writeEnd);
  reader.join();
  close(readEnd);
  return std::move(gathered);
}
