// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results on the standard output, which may be a full disk.

#ifndef K3_TOOLS_SUPPORT_STANDARDOUTPUT_H
#define K3_TOOLS_SUPPORT_STANDARDOUTPUT_H

#include "runtime/base/Status.h"

namespace k3::tools {

/// Writes what stdout has buffered; fails if anything did not get through.
Status flushOutput();

} // namespace k3::tools

#endif // K3_TOOLS_SUPPORT_STANDARDOUTPUT_H
