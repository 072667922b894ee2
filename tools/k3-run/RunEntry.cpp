// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one entry point on tensors from files.

#include "RunEntry.h"

#include "TensorFiles.h"

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Escape.h"

#include <algorithm>
#include <sys/stat.h>

namespace k3::run {

namespace {

/// The entry's inputs, or outputs given the inputs' shapes.
std::vector<k3_tensor> describeInputs(const k3rt_model *model,
                                      const char *entry) {
  std::vector<k3_tensor> all;
  k3_tensor next;
  while (k3rt_entry_input(model, entry, int32_t(all.size()), &next) == K3_OK)
    all.push_back(next);
  return all;
}

bool hasName(const std::vector<OwnedTensor> &tensors, const char *name) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const OwnedTensor &t) { return t.name == name; });
}

OwnedTensor numbers(const char *name, std::vector<int32_t> values) {
  OwnedTensor tensor;
  tensor.name = name;
  tensor.dtype = K3_I32;
  tensor.shape = {int64_t(values.size())};
  auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  tensor.bytes.assign(bytes, bytes + values.size() * sizeof(int32_t));
  return tensor;
}

/// One sequence over all tokens, in a fresh or loaded slot.
Failure addSequence(ModelSession &opened, const Options &options,
                    const std::vector<k3_tensor> &wanted,
                    std::vector<OwnedTensor> &inputs) {
  auto wants = [&](const char *name) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const k3_tensor &t) {
      return std::string_view(t.name) == name;
    });
  };
  auto tokens = std::find_if(inputs.begin(), inputs.end(),
                             [](auto &t) { return t.name == "tokens"; });
  if (tokens == inputs.end() || tokens->shape.size() != 1)
    return {};
  int32_t count = int32_t(tokens->shape[0]);
  if (wants("cu_seqlens") && !hasName(inputs, "cu_seqlens"))
    inputs.push_back(numbers("cu_seqlens", {0, count}));
  if (!wants("slots") || hasName(inputs, "slots"))
    return {};
  int32_t slot = 0;
  K3_RUN_TRY(k3rt_slot_create(opened.session, &slot));
  if (!options.loadState.empty())
    K3_RUN_TRY(k3rt_slot_load(opened.session, slot, options.loadState.c_str()));
  inputs.push_back(numbers("slots", {slot}));
  return {};
}

bool isSameFile(const std::string &a, const std::string &b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

Status parsePlaces(const Options &options, std::vector<TensorPlace> &in,
                   std::vector<TensorPlace> &out) {
  for (const std::string &text : options.inputs)
    K3_TRY(parsePlace(text, "--in", in.emplace_back()));
  for (const std::string &text : options.outputs)
    K3_TRY(parsePlace(text, "--out", out.emplace_back()));
  for (const TensorPlace &target : out) {
    bool isInput = isSameFile(target.file, options.artefact);
    for (const TensorPlace &source : in)
      isInput |= isSameFile(target.file, source.file);
    if (isInput)
      return Status::error(Code::BadUsage, 447,
                           escaped(target.file) + " is an input and would be "
                                                  "overwritten");
  }
  return {};
}

Failure readInputs(const std::vector<TensorPlace> &places, const char *entry,
                   const std::vector<k3_tensor> &wanted,
                   std::vector<OwnedTensor> &inputs) {
  for (const TensorPlace &place : places) {
    auto argument =
        std::find_if(wanted.begin(), wanted.end(), [&](const k3_tensor &t) {
          return place.name == t.name;
        });
    if (argument == wanted.end())
      return Status::error(Code::BadUsage, 448,
                           std::string("entry '") + entry +
                               "' has no input " + quote(place.name));
    K3_RUN_TRY(readTensor(place, argument->dtype, inputs.emplace_back()));
  }
  return {};
}

Failure allocateOutputs(const ModelSession &opened, const char *entry,
                        const std::vector<k3_tensor> &inputs,
                        std::vector<OwnedTensor> &outputs) {
  k3_tensor next;
  while (k3rt_entry_output(opened.model, entry, int32_t(outputs.size()),
                           inputs.data(), int32_t(inputs.size()),
                           &next) == K3_OK) {
    OwnedTensor &tensor = outputs.emplace_back();
    tensor.name = next.name;
    tensor.dtype = next.dtype;
    uint64_t bytes = bytesOf(DType(uint8_t(next.dtype)));
    for (int32_t i = 0; i < next.rank; ++i) {
      if (next.shape[i] < 0)
        return Status::error(Code::BadInput, 449,
                             std::string("output '") + next.name +
                                 "' has a size that no input gives");
      tensor.shape.push_back(next.shape[i]);
      bytes *= uint64_t(next.shape[i]);
    }
    tensor.bytes.resize(bytes);
  }
  return {};
}

} // namespace

Failure runEntry(ModelSession &opened, const Options &options) {
  const char *entry = options.entry.c_str();
  std::vector<TensorPlace> sources, targets;
  K3_RUN_TRY(parsePlaces(options, sources, targets));
  std::vector<k3_tensor> wanted = describeInputs(opened.model, entry);
  if (wanted.empty()) {
    k3_tensor probe;
    K3_RUN_TRY(k3rt_entry_input(opened.model, entry, 0, &probe));
  }
  std::vector<OwnedTensor> inputs, outputs;
  K3_RUN_TRY(readInputs(sources, entry, wanted, inputs));
  K3_RUN_TRY(addSequence(opened, options, wanted, inputs));
  std::vector<k3_tensor> in, out;
  for (OwnedTensor &tensor : inputs)
    in.push_back(tensor.view());
  K3_RUN_TRY(allocateOutputs(opened, entry, in, outputs));
  for (const TensorPlace &target : targets)
    if (!hasName(outputs, target.name.c_str()))
      return Status::error(Code::BadUsage, 448,
                           std::string("entry '") + entry +
                               "' has no output " + quote(target.name));
  for (OwnedTensor &tensor : outputs)
    out.push_back(tensor.view());
  K3_RUN_TRY(k3rt_run(opened.session, entry, in.data(), int32_t(in.size()),
                      out.data(), int32_t(out.size())));
  return writeTensors(targets, outputs);
}

} // namespace k3::run
