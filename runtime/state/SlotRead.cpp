// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One state of a slot, copied out.

#include "runtime/state/SlotFile.h"

#include <algorithm>
#include <cstring>

using namespace k3;
using namespace k3::state;

namespace {

Status findState(const SlotPool &pool, const std::string &name, size_t &out) {
  std::string names;
  for (size_t i = 0; i < pool.states().size(); ++i) {
    out = i;
    if (pool.states()[i].name == name)
      return {};
    names += (names.empty() ? "'" : ", '") + pool.states()[i].name + "'";
  }
  return Status::error(Code::BadUsage, 426,
                       "there is no state '" + name + "' (wanted " +
                           (names.empty() ? "none" : names) + ")");
}

} // namespace

Status k3::state::readSlot(const SlotPool &pool, int32_t slot,
                           const std::string &state, k3_tensor &out) {
  K3_TRY(pool.checkWhole(slot));
  size_t index;
  K3_TRY(findState(pool, state, index));
  int64_t tokens = pool.length(slot);
  std::vector<int64_t> shape = pool.contentShape(index, tokens);
  std::span<const uint8_t> content = pool.content(index, slot, tokens);
  if (out.data && out.bytes < content.size())
    return Status::error(Code::BadInput, 410,
                         "state '" + state + "': buffer is too short (wanted " +
                             std::to_string(content.size()) + " bytes, got " +
                             std::to_string(out.bytes) + ")");
  out.name = pool.states()[index].name.c_str();
  out.dtype = pool.states()[index].dtype;
  out.rank = int32_t(shape.size());
  std::copy(shape.begin(), shape.end(), out.shape);
  if (!out.data || content.empty())
    return {};
  if (tokens == 0)
    std::memset(out.data, 0, content.size());
  else
    return pool.space().read(out.data, content.data(), content.size());
  return {};
}
