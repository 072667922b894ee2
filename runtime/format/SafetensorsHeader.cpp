// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strict reader: no repeated key, no unknown field, no byte that belongs to
// no tensor or to two.

#include "runtime/format/SafetensorsHeader.h"

#include "runtime/base/Checked.h"
#include "runtime/base/Escape.h"
#include "runtime/format/ForeignFile.h"
#include "runtime/format/HeaderText.h"

#include <algorithm>
#include <cstring>

using namespace k3;

namespace {

Status refuse(int number, const std::string &what) {
  return Status::error(Code::BadInput, number, what);
}

/// The bytes of the shape are the bytes of the range.
Status checkSize(const SafetensorsTensor &tensor) {
  int64_t bytes = 0;
  auto elementBytes = int64_t(safetensorsElementBytes(tensor.dtype));
  if (!elementCount(tensor.shape, bytes) ||
      !checkedMul(bytes, elementBytes, bytes))
    return refuse(109, tensorText(tensor.name) + ": shape " +
                           shapeText(tensor.shape) + " of " +
                           std::string(tensor.dtype) + " overflows");
  if (uint64_t(bytes) != tensor.bytes())
    return refuse(
        109, tensorText(tensor.name) + ": shape " + shapeText(tensor.shape) +
                 " of " + std::string(tensor.dtype) + " needs " +
                 std::to_string(bytes) + " bytes, data_offsets " +
                 rangeText(tensor) + " hold " + std::to_string(tensor.bytes()));
  return {};
}

/// Tensors, sorted by place, lie one after the other from the first byte of
/// the data to the last.
Status checkPlaces(const std::vector<SafetensorsTensor> &tensors,
                   uint64_t dataBytes) {
  uint64_t end = 0;
  const SafetensorsTensor *before = nullptr;
  for (const SafetensorsTensor &tensor : tensors) {
    std::string what =
        tensor.begin == end && tensor.end <= dataBytes
            ? std::string()
            : tensorText(tensor.name) + ": data_offsets " + rangeText(tensor);
    if (tensor.end > dataBytes)
      return refuse(108, what + " lie outside the " +
                             std::to_string(dataBytes) + " bytes of data");
    if (tensor.begin < end)
      return refuse(107, what + " overlap " + quote(before->name) + " " +
                             rangeText(*before));
    if (tensor.begin > end)
      return refuse(108, what + " leave a hole of " +
                             std::to_string(tensor.begin - end) +
                             " bytes before them");
    end = tensor.end;
    before = &tensor;
  }
  if (end != dataBytes)
    return refuse(108, std::to_string(dataBytes - end) +
                           " bytes follow the last tensor");
  return {};
}

Status checkUnique(const std::vector<SafetensorsTensor> &tensors) {
  std::vector<std::string_view> names(tensors.size());
  std::transform(tensors.begin(), tensors.end(), names.begin(),
                 [](const SafetensorsTensor &tensor) {
                   return std::string_view(tensor.name);
                 });
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    return refuse(106,
                  "tensor " + quote(*twice) + " appears twice in the header");
  return {};
}

} // namespace

std::string k3::shapeText(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

Status k3::readHeaderLength(std::span<const uint8_t> firstBytes,
                            uint64_t fileBytes, uint64_t &out) {
  constexpr uint64_t lengthBytes = sizeof(out);
  if (fileBytes < lengthBytes || firstBytes.size() < lengthBytes)
    return refuse(101, "file has " + std::to_string(fileBytes) +
                           " bytes (a safetensors file has at least 8)");
  ForeignFile foreign = recognise(firstBytes);
  std::memcpy(&out, firstBytes.data(), lengthBytes);
  // The length of a JSON header can begin with the bytes of any short mark.
  bool isHeader = out <= mostHeaderBytes && out <= fileBytes - lengthBytes;
  if (!isHeader && !foreign.kind.empty())
    return Status::error(Code::BadInput, 112,
                         "is " + foreign.kind + " (wanted safetensors)",
                         foreign.help);
  if (out > fileBytes - lengthBytes)
    return refuse(102, "header of " + std::to_string(out) +
                           " bytes exceeds the file of " +
                           std::to_string(fileBytes) + " bytes");
  if (out > mostHeaderBytes)
    return refuse(103, "header of " + std::to_string(out) +
                           " bytes is too large (at most " +
                           std::to_string(mostHeaderBytes) + ")");
  return {};
}

Status k3::parseSafetensorsHeader(std::span<const uint8_t> json,
                                  uint64_t dataBytes, SafetensorsHeader &out) {
  SafetensorsHeader header;
  K3_TRY(readHeaderText(json, header));
  for (const SafetensorsTensor &tensor : header.tensors)
    K3_TRY(checkSize(tensor));
  K3_TRY(checkUnique(header.tensors));
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const SafetensorsTensor &a, const SafetensorsTensor &b) {
              return std::tie(a.begin, a.end, a.name) <
                     std::tie(b.begin, b.end, b.name);
            });
  K3_TRY(checkPlaces(header.tensors, dataBytes));
  out = std::move(header);
  return {};
}
