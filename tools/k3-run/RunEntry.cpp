// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one entry point on tensors from files.

#include "RunEntry.h"

#include "OutputPaths.h"

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Escape.h"

#include <algorithm>
#include <cstring>

namespace k3::run {

namespace {

constexpr int64_t mostSlots = 1 << 16;

OwnedTensor *find(std::vector<OwnedTensor> &tensors, std::string_view name) {
  for (OwnedTensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

OwnedTensor numbers(const char *name, const std::vector<int32_t> &values) {
  OwnedTensor tensor;
  tensor.name = name;
  tensor.dtype = K3_I32;
  tensor.shape = {int64_t(values.size())};
  auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  tensor.bytes.assign(bytes, bytes + values.size() * sizeof(int32_t));
  return tensor;
}

Status parsePlaces(const Options &options, std::vector<TensorPlace> &in,
                   std::vector<TensorPlace> &out) {
  for (const std::string &text : options.inputs)
    K3_TRY(parsePlace(text, "--in", in.emplace_back()));
  for (const std::string &text : options.outputs) {
    K3_TRY(parsePlace(text, "--out", out.emplace_back()));
    if (out.back().file.empty())
      return Status::error(Code::BadUsage, 442,
                           "--out " + quote(text) +
                               ": wanted NAME=FILE:TENSOR or NAME=-");
  }
  std::vector<std::string> read, written;
  for (const TensorPlace &place : in)
    read.push_back(place.file);
  for (const TensorPlace &place : out)
    if (place.file != "-")
      written.push_back(place.file);
  return checkOutputPaths(options, read, written);
}

} // namespace

bool EntryCall::wants(std::string_view input) const {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const k3_tensor &t) { return t.name == input; });
}

Failure EntryCall::readInputs() {
  const char *entry = options.entry.c_str();
  k3_tensor next;
  while (k3rt_entry_input(opened.model, entry, int32_t(wanted.size()), &next) ==
         K3_OK)
    wanted.push_back(next);
  if (wanted.empty()) // no such entry, rather than one without inputs
    if (Failure failed =
            k3rt_entry_output(opened.model, entry, 0, nullptr, 0, &next))
      return failed;
  for (const TensorPlace &place : sources) {
    auto argument =
        std::find_if(wanted.begin(), wanted.end(),
                     [&](const k3_tensor &t) { return place.name == t.name; });
    if (argument == wanted.end())
      return Status::error(Code::BadUsage, 448,
                           "entry " + quote(options.entry) + " has no input " +
                               quote(place.name));
    K3_RUN_TRY(readTensor(place, argument->dtype, inputs.emplace_back()));
  }
  return {};
}

/// Slots that `--in slots=...` names are created from 0 on.
Failure EntryCall::countSlots() {
  const OwnedTensor *given = find(inputs, "slots");
  if (!given || given->dtype != K3_I32)
    return {};
  std::vector<int32_t> values(given->bytes.size() / sizeof(int32_t));
  if (!values.empty())
    std::memcpy(values.data(), given->bytes.data(), given->bytes.size());
  for (int32_t slot : values)
    slotCount = std::max(slotCount, int64_t(slot) + 1);
  if (slotCount <= mostSlots)
    return {};
  return Status::error(Code::BadInput, 452,
                       "--in slots: slot " + std::to_string(slotCount - 1) +
                           " is out of range (wanted less than " +
                           std::to_string(mostSlots) + ")");
}

/// One sequence over all tokens, in slot 0.
void EntryCall::addSequence() {
  const OwnedTensor *tokens = find(inputs, "tokens");
  if (!tokens || tokens->shape.size() != 1)
    return;
  int32_t count = int32_t(tokens->shape[0]);
  if (wants("cu_seqlens") && !find(inputs, "cu_seqlens"))
    inputs.push_back(numbers("cu_seqlens", {0, count}));
  if (wants("slots") && !find(inputs, "slots"))
    inputs.push_back(numbers("slots", {0}));
}

Failure EntryCall::read() {
  K3_RUN_TRY(parsePlaces(options, sources, targets));
  K3_RUN_TRY(readInputs());
  K3_RUN_TRY(countSlots());
  addSequence();
  return {};
}

Failure EntryCall::fillSlots() {
  for (int64_t i = 0; i < slotCount; ++i) {
    int32_t slot = 0;
    K3_RUN_TRY(k3rt_slot_create(opened.session, &slot));
  }
  if (options.loadState.empty())
    return {};
  return k3rt_slot_load(opened.session, 0, options.loadState.c_str());
}

Failure EntryCall::allocateOutputs(const std::vector<k3_tensor> &in) {
  k3_tensor next;
  while (k3rt_entry_output(opened.model, options.entry.c_str(),
                           int32_t(outputs.size()), in.data(),
                           int32_t(in.size()), &next) == K3_OK) {
    OwnedTensor &tensor = outputs.emplace_back();
    tensor.name = next.name;
    tensor.dtype = next.dtype;
    tensor.shape.assign(next.shape, next.shape + next.rank);
    int64_t count = 0, bytes = 0;
    if (!elementCount(tensor.shape, count) ||
        !checkedMul(count, int64_t(bytesOf(DType(uint8_t(next.dtype)))), bytes))
      return Status::error(Code::BadInput, 449,
                           "output " + quote(next.name) +
                               " has a size that no input gives");
    tensor.bytes.resize(size_t(bytes));
  }
  for (const TensorPlace &target : targets)
    if (!find(outputs, target.name))
      return Status::error(Code::BadUsage, 448,
                           "entry " + quote(options.entry) + " has no output " +
                               quote(target.name));
  return {};
}

Failure EntryCall::run() {
  K3_RUN_TRY(fillSlots());
  std::vector<k3_tensor> in, out;
  for (OwnedTensor &tensor : inputs)
    in.push_back(tensor.view());
  K3_RUN_TRY(allocateOutputs(in));
  for (OwnedTensor &tensor : outputs)
    out.push_back(tensor.view());
  K3_RUN_TRY(k3rt_run(opened.session, options.entry.c_str(), in.data(),
                      int32_t(in.size()), out.data(), int32_t(out.size())));
  K3_RUN_TRY(writeTensors(targets, outputs));
  if (options.saveState.empty())
    return {};
  return k3rt_slot_save(opened.session, 0, options.saveState.c_str());
}

} // namespace k3::run
