// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a safetensors header: its structure, not yet its meaning.

#ifndef K3_RUNTIME_FORMAT_HEADERTEXT_H
#define K3_RUNTIME_FORMAT_HEADERTEXT_H

#include "runtime/format/SafetensorsHeader.h"

namespace k3 {

/// Fills the header from its JSON, with tensors in their order there. Fields
/// are complete, of the right types and given once; names may repeat, and
/// places and sizes be anything.
Status readHeaderText(std::span<const uint8_t> json, SafetensorsHeader &out);

/// "tensor 'q_proj'" and "[8, 24)", for messages.
std::string tensorText(const std::string &name);
std::string rangeText(const SafetensorsTensor &tensor);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_HEADERTEXT_H
