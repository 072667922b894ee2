// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream remembers failures of earlier writes.

#include "tools/support/StandardOutput.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace k3;

Status tools::flushOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return {};
  std::string reason = errno ? std::string(": ") + std::strerror(errno) : "";
  return Status::error(Code::Io, 613,
                       "the standard output cannot be written" + reason);
}
