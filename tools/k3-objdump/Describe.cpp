// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything in an artefact as one JSON value.

#include "Describe.h"

#include "runtime/base/DType.h"
#include "runtime/base/Sha256.h"
#include "runtime/format/Artefact_generated.h"

namespace k3::objdump {

namespace {

using namespace artefact;

std::string typeName(artefact::DType dtype) {
  return std::string(nameOf(k3::DType(uint8_t(dtype))));
}

std::string symbolName(const Index &index, int32_t symbol) {
  return index.symbols()->Get(flatbuffers::uoffset_t(symbol))->str();
}

/// "F32[T, 192]".
std::string describeTensor(const Index &index, const Tensor &tensor) {
  std::string text = typeName(tensor.dtype()) + "[";
  bool first = true;
  if (tensor.dims())
    for (const Dim *dim : *tensor.dims()) {
      text += first ? "" : ", ";
      text += dim->symbol() >= 0 ? symbolName(index, dim->symbol())
                                 : std::to_string(dim->size());
      first = false;
    }
  return text + "]";
}

/// "768 T + 64".
std::string describeExtent(const Index &index, const Extent &extent) {
  std::string text;
  if (extent.symbol() >= 0)
    text = std::to_string(extent.scale()) + " " +
           symbolName(index, extent.symbol());
  if (extent.bytes() || text.empty())
    text += (text.empty() ? "" : " + ") + std::to_string(extent.bytes());
  return text;
}

std::string describeBuffer(const Index &index, const Entry &entry,
                           const Buffer &buffer) {
  auto number = flatbuffers::uoffset_t(buffer.index());
  std::string text;
  switch (buffer.place()) {
  case Place::Input:
    text = "input " + entry.inputs()->Get(number)->tensor()->name()->str();
    break;
  case Place::Output:
    text = "output " + entry.outputs()->Get(number)->name()->str();
    break;
  case Place::Weight:
    text = "weight " + index.weights()->Get(number)->name()->str();
    break;
  case Place::State:
    text = "state " + index.states()->Get(number)->name()->str();
    break;
  case Place::Arena:
    text = "arena " + std::to_string(buffer.index());
    break;
  }
  if (buffer.offset())
    text += " + " + std::to_string(buffer.offset());
  return text;
}

Json describeCommand(const Index &index, const Entry &entry,
                     const Command &command) {
  Json json;
  json["kind"] = EnumNameCommandKind(command.kind());
  if (command.kind() == CommandKind::Launch) {
    auto kernel = flatbuffers::uoffset_t(command.kernel());
    json["kernel"] = index.kernels()->Get(kernel)->symbol()->str();
    std::string grid = std::to_string(command.grid_multiplier());
    if (command.grid_symbol() >= 0)
      grid = "ceil(" + symbolName(index, command.grid_symbol()) + " / " +
             std::to_string(command.grid_tile()) + ") * " + grid;
    json["grid"] = grid;
  } else if (command.bytes()) {
    json["bytes"] = describeExtent(index, *command.bytes());
  }
  if (command.label())
    json["label"] = command.label()->str();
  Json buffers = Json::array();
  if (command.buffers())
    for (const Buffer *buffer : *command.buffers())
      buffers.push_back(describeBuffer(index, entry, *buffer));
  json["buffers"] = std::move(buffers);
  return json;
}

/// "ceil(dim 0 / 64) * 2".
std::string describeGrid(const GpuGrid &grid) {
  std::string text = std::to_string(grid.multiplier());
  if (grid.dim() < 0)
    return text;
  return "ceil(dim " + std::to_string(grid.dim()) + " / " +
         std::to_string(grid.tile()) + ") * " + text;
}

Json describeGpuKernel(const Index &index, const GpuKernel &kernel) {
  auto number = flatbuffers::uoffset_t(kernel.kernel());
  Json json = {{"kernel", index.kernels()->Get(number)->symbol()->str()},
               {"entry", kernel.entry()->str()},
               {"threads", kernel.threads()},
               {"shared", kernel.shared()},
               {"cluster", kernel.cluster()},
               {"workgroups_per_block", kernel.workgroups_per_block()},
               {"scratch", kernel.scratch()}};
  if (kernel.cubin() >= 0)
    json["cubin"] = kernel.cubin();
  if (kernel.ptx() >= 0)
    json["ptx"] = kernel.ptx();
  if (kernel.grid())
    json["grid"] = describeGrid(*kernel.grid());
  return json;
}

Json describeCode(const Index &index, const CodeObject &code) {
  Json features = Json::array();
  if (code.features())
    for (const auto *feature : *code.features())
      features.push_back(feature->str());
  Json json = {{"target", code.target()->str()},
               {"section", code.section()->str()},
               {"needs", std::move(features)}};
  if (code.driver())
    json["driver"] = std::to_string(code.driver() / 1000) + "." +
                     std::to_string(code.driver() % 1000 / 10);
  if (code.images())
    for (const GpuImage *image : *code.images())
      json["images"].push_back({{"format", EnumNameGpuFormat(image->format())},
                                {"offset", image->offset()},
                                {"bytes", image->bytes()}});
  if (code.gpu_kernels())
    for (const GpuKernel *kernel : *code.gpu_kernels())
      json["launches"].push_back(describeGpuKernel(index, *kernel));
  return json;
}

template <typename Vector> Json listOf(const Vector *values) {
  Json list = Json::array();
  if (values)
    for (auto value : *values)
      list.push_back(value);
  return list;
}

} // namespace

Json describeFile(const ArtefactView &view) {
  const Index &index = *view.index;
  Json json;
  json["format"] =
      std::to_string(view.major) + "." + std::to_string(view.minor);
  json["producer"] = index.producer()->str();
  json["source_sha256"] = index.source_sha256()->str();
  json["precision"] = index.precision() ? index.precision()->str() : "";
  for (const ArtefactSection &section : view.sections)
    json["sections"].push_back({{"name", section.name},
                                {"offset", section.offset},
                                {"bytes", section.bytes.size()},
                                {"sha256", hexOf(sha256Of(section.bytes))}});
  if (index.code())
    for (const CodeObject *code : *index.code())
      json["code"].push_back(describeCode(index, *code));
  if (index.symbols())
    for (const auto *symbol : *index.symbols())
      json["symbols"].push_back(symbol->str());
  if (index.metadata())
    for (const Pair *pair : *index.metadata())
      json["metadata"][pair->key()->str()] = pair->value()->str();
  return json;
}

Json describeWeights(const Index &index) {
  Json list = Json::array();
  if (!index.weights())
    return list;
  for (const Weight *weight : *index.weights()) {
    Json json = {{"name", weight->name()->str()},
                 {"dtype", typeName(weight->dtype())},
                 {"shape", listOf(weight->shape())},
                 {"packing", EnumNamePacking(weight->packing())},
                 {"bytes", weight->bytes()},
                 {"source", weight->source()->str()},
                 {"source_dtype", typeName(weight->source_dtype())},
                 {"source_shape", listOf(weight->source_shape())}};
    if (weight->stack())
      json["stack"] = weight->stack();
    if (weight->prefix())
      json["prefix"] = true;
    list.push_back(std::move(json));
  }
  return list;
}

Json describeStates(const Index &index) {
  Json list = Json::array();
  if (index.states())
    for (const State *state : *index.states())
      list.push_back({{"name", state->name()->str()},
                      {"dtype", typeName(state->dtype())},
                      {"shape", listOf(state->shape())}});
  return list;
}

Json describeKernels(const Index &index) {
  Json list = Json::array();
  if (!index.kernels())
    return list;
  for (const Kernel *kernel : *index.kernels()) {
    Json json = {{"symbol", kernel->symbol()->str()},
                 {"scratch", kernel->scratch()}};
    if (kernel->source())
      json["source"] = kernel->source()->str();
    list.push_back(std::move(json));
  }
  return list;
}

Json describeEntry(const Index &index, unsigned number) {
  const Entry &entry = *index.entries()->Get(number);
  Json json = {{"name", entry.name()->str()}};
  if (entry.inputs())
    for (const Argument *argument : *entry.inputs())
      json["inputs"].push_back(
          {{"name", argument->tensor()->name()->str()},
           {"type", describeTensor(index, *argument->tensor())},
           {"role", EnumNameRole(argument->role())}});
  if (entry.outputs())
    for (const Tensor *output : *entry.outputs())
      json["outputs"].push_back({{"name", output->name()->str()},
                                 {"type", describeTensor(index, *output)}});
  if (entry.arena())
    for (const Extent *block : *entry.arena())
      json["arena_bytes"].push_back(describeExtent(index, *block));
  if (entry.commands())
    for (const Command *command : *entry.commands())
      json["commands"].push_back(describeCommand(index, entry, *command));
  return json;
}

} // namespace k3::objdump
