// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slot as a safetensors file, and one state of it as a tensor.

#ifndef K3_RUNTIME_STATE_SLOTFILE_H
#define K3_RUNTIME_STATE_SLOTFILE_H

#include "runtime/state/SlotPool.h"

#include <string>

namespace k3::state {

/// Whose states they are: a file is refused by every other model.
struct ModelIdentity {
  std::string sourceSha256;
  std::string precision;
};

/// Writes the slot's states and length; the file appears whole or not at all.
/// Per-token states keep only the rows written so far.
Status saveSlot(const SlotPool &pool, int32_t slot,
                const ModelIdentity &identity, const std::string &path);

/// Reads what `saveSlot` wrote. The slot is unchanged unless the whole file
/// is right.
Status loadSlot(SlotPool &pool, int32_t slot, const ModelIdentity &identity,
                const std::string &path);

/// Describes a state of the slot in `out`, and copies it into `out.data`
/// unless that is null. A slot without tokens reads as zeros.
Status readSlot(const SlotPool &pool, int32_t slot, const std::string &state,
                k3_tensor &out);

} // namespace k3::state

#endif // K3_RUNTIME_STATE_SLOTFILE_H
