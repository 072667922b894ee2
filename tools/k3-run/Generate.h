// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes on from a prompt, token by token.

#ifndef K3_TOOLS_K3_RUN_GENERATE_H
#define K3_TOOLS_K3_RUN_GENERATE_H

#include "CommandTimes.h"

namespace k3::run {

/// Streams text to stdout and ends at the model's end-of-sequence token, after
/// `--max-new-tokens`, or when `interrupted` becomes true. A saved state has
/// seen the prompt and all tokens that were shown.
Failure generate(ModelSession &opened, const Options &options,
                 CommandTimes &times, const volatile bool &interrupted);

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_GENERATE_H
