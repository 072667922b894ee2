// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A safetensors file with one tensor a state. Its metadata name the model and
// hold a digest of everything else, so that no flipped bit is accepted.

#include "runtime/state/SlotFile.h"

#include "runtime/base/Sha256.h"
#include "runtime/format/SafetensorsFile.h"
#include "runtime/format/SafetensorsWriter.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

using namespace k3;
using namespace k3::state;

namespace {

using Metadata = std::map<std::string, std::string>;

constexpr const char *formatVersion = "1";

Status damaged(const std::string &what) {
  return Status::error(Code::BadInput, 428, what);
}

/// The digest of names, types, shapes and bytes, and of what the metadata
/// say about them.
std::string digestOf(const Metadata &metadata,
                     std::vector<TensorBytes> tensors) {
  // A reader may give tensors in another order than they were written in.
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorBytes &a, const TensorBytes &b) {
              return a.name < b.name;
            });
  Sha256 hash;
  auto add = [&](const std::string &text) {
    hash.update(std::string_view(text.c_str(), text.size() + 1));
  };
  for (const auto &[key, value] : metadata)
    if (key != "sha256") {
      add(key);
      add(value);
    }
  for (const TensorBytes &tensor : tensors) {
    add(tensor.name);
    add(tensor.dtype);
    add(shapeText(tensor.shape));
    hash.update(tensor.bytes);
  }
  return hash.hex();
}

struct SavedSlot {
  Metadata metadata;
  std::vector<TensorBytes> tensors; // in the order of the file
  std::vector<uint8_t> bytes;
};

Status readSaved(const std::string &path, SavedSlot &out) {
  SafetensorsFile file;
  K3_TRY(SafetensorsFile::open(path, file));
  out.metadata = file.header().metadata;
  uint64_t size = 0;
  for (const SafetensorsTensor &tensor : file.header().tensors)
    size = std::max(size, tensor.end);
  out.bytes.resize(size);
  for (const SafetensorsTensor &tensor : file.header().tensors) {
    std::span<uint8_t> bytes(out.bytes.data() + tensor.begin,
                             tensor.end - tensor.begin);
    K3_TRY(file.read(tensor, 0, bytes));
    out.tensors.push_back(
        {tensor.name, std::string(tensor.dtype), tensor.shape, bytes});
  }
  return {};
}

std::string find(const Metadata &metadata, const std::string &key) {
  auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

Status checkIdentity(const Metadata &metadata, const ModelIdentity &identity) {
  if (find(metadata, "format") != "k3-slot")
    return damaged("it is not a saved slot");
  if (find(metadata, "version") != formatVersion)
    return damaged("its version is '" + find(metadata, "version") +
                   "' (wanted '" + formatVersion + "')");
  std::string model = find(metadata, "model");
  if (model != identity.sourceSha256)
    return Status::error(Code::BadInput, 427,
                         "state was saved by model " + model.substr(0, 12) +
                             ", this is " +
                             identity.sourceSha256.substr(0, 12));
  std::string precision = find(metadata, "precision");
  if (precision != identity.precision)
    return Status::error(Code::BadInput, 427,
                         "state was saved at precision " + precision +
                             ", this is " + identity.precision);
  return {};
}

Status readLength(const Metadata &metadata, const SlotPool &pool,
                  int64_t &out) {
  std::string text = find(metadata, "length");
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0)
    return damaged("its length is '" + text + "'");
  bool perToken = false;
  for (const StateSpec &state : pool.states())
    perToken |= state.perToken();
  if (perToken && out > pool.capacity())
    return Status::error(Code::Resources, 417,
                         "it holds " + std::to_string(out) +
                             " tokens, a slot of this session at most " +
                             std::to_string(pool.capacity()),
                         "create the session with a larger capacity");
  return {};
}

/// Whether an element of a floating-point tensor is NaN or infinite: all bits
/// of its exponent are set.
template <class Word>
bool findNonfinite(std::span<const uint8_t> data, Word exponent, size_t &at) {
  for (at = 0; at < data.size() / sizeof(Word); ++at) {
    Word word;
    std::memcpy(&word, data.data() + at * sizeof(Word), sizeof(Word));
    if ((word & exponent) == exponent)
      return true;
  }
  return false;
}

Status checkFinite(const StateSpec &state, std::span<const uint8_t> data) {
  size_t at = 0;
  bool found = false;
  if (state.dtype == K3_F32)
    found = findNonfinite<uint32_t>(data, 0x7f800000, at);
  else if (state.dtype == K3_BF16)
    found = findNonfinite<uint16_t>(data, 0x7f80, at);
  else if (state.dtype == K3_F16)
    found = findNonfinite<uint16_t>(data, 0x7c00, at);
  else if (state.dtype == K3_F64)
    found = findNonfinite<uint64_t>(data, 0x7ff0000000000000, at);
  if (!found)
    return {};
  return Status::error(Code::BadInput, 429,
                       "state '" + state.name + "': element " +
                           std::to_string(at) + " is not finite");
}

/// Finds every state of the pool in the file, with its type and shape.
Status matchTensors(const SlotPool &pool, int64_t tokens,
                    const std::vector<TensorBytes> &tensors,
                    std::vector<std::span<const uint8_t>> &out) {
  for (size_t i = 0; i < pool.states().size(); ++i) {
    const StateSpec &state = pool.states()[i];
    const TensorBytes *found = nullptr;
    for (const TensorBytes &tensor : tensors)
      if (tensor.name == state.name)
        found = &tensor;
    if (!found)
      return Status::error(Code::BadInput, 427,
                           "it has no state '" + state.name + "'");
    std::vector<int64_t> shape = pool.contentShape(i, tokens);
    if (found->dtype != dtypeName(state.dtype) || found->shape != shape ||
        found->bytes.size() != pool.content(i, 0, tokens).size())
      return Status::error(Code::BadInput, 427,
                           "state '" + state.name + "' is " + found->dtype +
                               " " + shapeText(found->shape) + " (wanted " +
                               dtypeName(state.dtype) + " " + shapeText(shape) +
                               ")");
    out.push_back(found->bytes);
  }
  if (tensors.size() != pool.states().size())
    return Status::error(Code::BadInput, 427,
                         "it has " + std::to_string(tensors.size()) +
                             " states (wanted " +
                             std::to_string(pool.states().size()) + ")");
  return {};
}

} // namespace

Status k3::state::saveSlot(const SlotPool &pool, int32_t slot,
                           const ModelIdentity &identity,
                           const std::string &path) {
  K3_TRY(pool.checkWhole(slot));
  int64_t tokens = pool.length(slot);
  // A slot without tokens has undefined bytes, perhaps another sequence's.
  std::vector<uint8_t> zeros;
  for (size_t i = 0; tokens == 0 && i < pool.states().size(); ++i)
    zeros.resize(std::max(zeros.size(), pool.content(i, slot, 0).size()), 0);
  std::vector<TensorBytes> tensors;
  std::vector<std::vector<uint8_t>> copies(pool.states().size());
  for (size_t i = 0; i < pool.states().size(); ++i) {
    std::span<const uint8_t> data;
    if (tokens == 0)
      data = {zeros.data(), pool.content(i, slot, 0).size()};
    else
      K3_TRY(pool.read(i, slot, tokens, copies[i], data));
    const StateSpec &state = pool.states()[i];
    tensors.push_back({state.name, dtypeName(state.dtype),
                       pool.contentShape(i, tokens), data});
  }
  Metadata metadata = {{"format", "k3-slot"},
                       {"version", formatVersion},
                       {"model", identity.sourceSha256},
                       {"precision", identity.precision},
                       {"length", std::to_string(tokens)}};
  metadata["sha256"] = digestOf(metadata, tensors);
  return writeSafetensors(path, tensors, metadata);
}

Status k3::state::loadSlot(SlotPool &pool, int32_t slot,
                           const ModelIdentity &identity,
                           const std::string &path) {
  K3_TRY(pool.checkAlive(slot));
  SavedSlot file;
  K3_TRY(readSaved(path, file));
  auto check = [&](std::vector<std::span<const uint8_t>> &contents,
                   int64_t &tokens) -> Status {
    K3_TRY(checkIdentity(file.metadata, identity));
    K3_TRY(readLength(file.metadata, pool, tokens));
    K3_TRY(matchTensors(pool, tokens, file.tensors, contents));
    if (find(file.metadata, "sha256") != digestOf(file.metadata, file.tensors))
      return damaged("the saved slot is damaged (sha256 differs)");
    for (size_t i = 0; i < contents.size(); ++i)
      K3_TRY(checkFinite(pool.states()[i], contents[i]));
    return {};
  };
  std::vector<std::span<const uint8_t>> contents;
  int64_t tokens;
  K3_TRY(check(contents, tokens).in(path));
  return pool.write(slot, tokens, contents);
}
