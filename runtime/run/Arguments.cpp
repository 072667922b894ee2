// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every refusal names the argument.

#include "runtime/run/Arguments.h"

using namespace k3;
using namespace k3::run;

namespace {

/// Of a device buffer: kernels load 16 bytes at a time.
constexpr uintptr_t deviceAlignment = 16;

Status wrong(int number, const TensorSpec &spec, const std::string &what) {
  return Status::error(Code::BadInput, number,
                       "argument '" + spec.name + "': " + what);
}

template <class Specs> std::string namesOf(const Specs &specs) {
  std::string text;
  for (const auto &spec : specs)
    text += (text.empty() ? "'" : ", '") + spec.name + "'";
  return text.empty() ? "none" : text;
}

template <class Specs>
Status match(const Specs &specs, const char *kind,
             std::span<const k3_tensor> given, int optional,
             std::vector<const k3_tensor *> &out) {
  out.assign(specs.size(), nullptr);
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].name)
      return Status::error(Code::BadUsage, 401,
                           std::string(kind) + " " + std::to_string(i) +
                               ": name is null");
    std::string name = given[i].name;
    size_t at = 0;
    while (at < specs.size() && specs[at].name != name)
      ++at;
    if (at == specs.size())
      return Status::error(Code::BadUsage, 405,
                           std::string("there is no ") + kind + " '" + name +
                               "' (wanted " + namesOf(specs) + ")");
    if (out[at])
      return Status::error(Code::BadUsage, 406,
                           std::string(kind) + " '" + name +
                               "' is given twice");
    out[at] = &given[i];
  }
  for (size_t i = 0; i < specs.size(); ++i)
    if (!out[i] && int(i) != optional)
      return Status::error(Code::BadUsage, 404,
                           std::string(kind) + " '" + specs[i].name +
                               "' is missing (wanted " + namesOf(specs) + ")");
  return {};
}

std::string shapeText(const k3_tensor &tensor) {
  std::string text;
  for (int32_t i = 0; i < tensor.rank; ++i)
    text += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  return "[" + text + "]";
}

/// Constants as numbers, dynamic dimensions as name or, once known, as
/// name = number.
std::string shapeText(const TensorSpec &spec, const Symbols &symbols) {
  std::string text;
  for (const Dim &dim : spec.dims) {
    text += text.empty() ? "" : ", ";
    if (dim.symbol < 0)
      text += std::to_string(dim.size);
    else if (symbols.isBound(dim.symbol))
      text += symbols.name(dim.symbol) + " = " +
              std::to_string(symbols.get(dim.symbol));
    else
      text += symbols.name(dim.symbol);
  }
  return "[" + text + "]";
}

struct Extents {
  const char *begin, *end;
};

Extents memoryOf(const k3_tensor &tensor) {
  int64_t bytes = 0;
  tensorBytes(tensor, bytes);
  const char *begin = static_cast<const char *>(tensor.data);
  return {begin, begin + bytes};
}

bool overlap(const k3_tensor &a, const k3_tensor &b) {
  Extents x = memoryOf(a), y = memoryOf(b);
  bool empty = x.begin == x.end || y.begin == y.end;
  return !empty && x.begin < y.end && y.begin < x.end;
}

bool isUpdate(const EntryPlan &entry, size_t output, size_t input) {
  for (const Update &update : entry.updates)
    if (size_t(update.output) == output && size_t(update.input) == input)
      return true;
  return false;
}

} // namespace

Status k3::run::matchInputs(const EntryPlan &entry,
                            std::span<const k3_tensor> given, int optional,
                            std::vector<const k3_tensor *> &out) {
  return match(entry.inputs, "input", given, optional, out);
}

Status k3::run::matchOutputs(const EntryPlan &entry,
                             std::span<const k3_tensor> given,
                             std::vector<const k3_tensor *> &out) {
  return match(entry.outputs, "output", given, -1, out);
}

Status k3::run::bindShape(const TensorSpec &spec, const k3_tensor &tensor,
                          Symbols &symbols) {
  if (tensor.dtype != spec.dtype)
    return wrong(407, spec,
                 std::string("wrong element type (wanted ") +
                     dtypeName(spec.dtype) + ", got " +
                     dtypeName(tensor.dtype) + ")");
  if (tensor.rank != int32_t(spec.dims.size()))
    return wrong(408, spec,
                 "wrong rank (wanted " + std::to_string(spec.dims.size()) +
                     ", got " + std::to_string(tensor.rank) + ")");
  for (int32_t i = 0; i < tensor.rank; ++i) {
    const Dim &dim = spec.dims[i];
    int64_t size = tensor.shape[i];
    if (size < 0)
      return wrong(408, spec,
                   "dimension " + std::to_string(i) + " is negative (got " +
                       shapeText(tensor) + ")");
    if (dim.symbol < 0 && size != dim.size)
      return wrong(408, spec,
                   "wrong shape (wanted " + shapeText(spec, symbols) +
                       ", got " + shapeText(tensor) + ")");
    if (dim.symbol >= 0)
      K3_TRY(symbols.bind(dim.symbol, size, spec.name.c_str())
                 .in("argument '" + spec.name + "'"));
  }
  return {};
}

bool k3::run::tensorBytes(const k3_tensor &tensor, int64_t &bytes) {
  bytes = elementBytes(tensor.dtype);
  bool empty = false;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    empty |= tensor.shape[i] == 0;
    if (tensor.shape[i] < 0)
      return false;
  }
  for (int32_t i = 0; i < tensor.rank && !empty; ++i)
    if (__builtin_mul_overflow(bytes, tensor.shape[i], &bytes))
      return false;
  if (empty)
    bytes = 0;
  return true;
}

Status k3::run::checkMemory(const TensorSpec &spec, const k3_tensor &tensor) {
  int64_t bytes;
  if (!tensorBytes(tensor, bytes))
    return wrong(408, spec,
                 "the size of shape " + shapeText(tensor) + " overflows");
  if (bytes == 0)
    return {};
  if (!tensor.data)
    return Status::error(Code::BadUsage, 401,
                         "argument '" + spec.name + "': data is null");
  if (uint64_t(bytes) > tensor.bytes)
    return wrong(410, spec,
                 "buffer is too short for shape " + shapeText(tensor) +
                     " (wanted " + std::to_string(bytes) + " bytes, got " +
                     std::to_string(tensor.bytes) + ")");
  if (uintptr_t(tensor.data) % elementBytes(tensor.dtype) != 0)
    return wrong(411, spec,
                 "data is not aligned to its elements (wanted a multiple of " +
                     std::to_string(elementBytes(tensor.dtype)) + " bytes)");
  if (tensor.memory != K3_HOST && uintptr_t(tensor.data) % deviceAlignment != 0)
    return wrong(411, spec,
                 "data in device memory is not aligned (wanted a multiple of " +
                     std::to_string(deviceAlignment) + " bytes)");
  return {};
}

Status k3::run::checkOverlaps(const EntryPlan &entry,
                              const Arguments &arguments) {
  for (size_t o = 0; o < arguments.outputs.size(); ++o) {
    const k3_tensor &output = *arguments.outputs[o];
    for (size_t i = 0; i < arguments.inputs.size(); ++i) {
      const k3_tensor *input = arguments.inputs[i];
      if (!input || !overlap(output, *input) ||
          (isUpdate(entry, o, i) && input->data == output.data))
        continue;
      return wrong(412, entry.outputs[o],
                   "overlaps input '" + entry.inputs[i].name + "'");
    }
    for (size_t other = 0; other < o; ++other)
      if (overlap(output, *arguments.outputs[other]))
        return wrong(412, entry.outputs[o],
                     "overlaps output '" + entry.outputs[other].name + "'");
  }
  return {};
}
