// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted, without spaces but those that align the data to 8 bytes.

#include "runtime/format/SafetensorsWriter.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Checked.h"
#include "runtime/base/Escape.h"
#include "runtime/format/SafetensorsHeader.h"
#include "runtime/format/Utf8.h"

#include <algorithm>

using namespace k3;

namespace {

Status misuse(const std::string &what) {
  return Status::error(Code::BadUsage, 113, what);
}

void appendString(std::string &out, std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if ((unsigned char)c < 0x20) {
      out += "\\u00";
      out += digits[c >> 4];
      out += digits[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::vector<const TensorBytes *>
sortedByName(std::span<const TensorBytes> tensors) {
  std::vector<const TensorBytes *> sorted;
  for (const TensorBytes &tensor : tensors)
    sorted.push_back(&tensor);
  std::sort(sorted.begin(), sorted.end(),
            [](const TensorBytes *a, const TensorBytes *b) {
              return a->name < b->name;
            });
  return sorted;
}

Status checkText(const std::string &text) {
  if (isUtf8(text) && text.find('\0') == std::string::npos)
    return {};
  return misuse("name " + quote(text) + " is not UTF-8 text");
}

Status checkTensor(const TensorBytes &tensor) {
  K3_TRY(checkText(tensor.name));
  int64_t bytes = 0;
  auto elementBytes = int64_t(safetensorsElementBytes(tensor.dtype));
  if (tensor.name == "__metadata__" || elementBytes == 0 ||
      !elementCount(tensor.shape, bytes) ||
      !checkedMul(bytes, elementBytes, bytes) ||
      uint64_t(bytes) != tensor.bytes.size())
    return misuse("tensor " + quote(tensor.name) + ": " + tensor.dtype + " " +
                  shapeText(tensor.shape) + " with " +
                  std::to_string(tensor.bytes.size()) +
                  " bytes cannot be written");
  return {};
}

void appendMetadata(std::string &out,
                    const std::map<std::string, std::string> &metadata) {
  out += "\"__metadata__\":{";
  const char *separator = "";
  for (const auto &[key, value] : metadata) {
    out += separator;
    appendString(out, key);
    out += ':';
    appendString(out, value);
    separator = ",";
  }
  out += '}';
}

void appendTensor(std::string &out, const TensorBytes &tensor, uint64_t begin) {
  appendString(out, tensor.name);
  out += ":{\"dtype\":";
  appendString(out, tensor.dtype);
  out += ",\"shape\":[";
  const char *separator = "";
  for (int64_t size : tensor.shape) {
    out += separator + std::to_string(size);
    separator = ",";
  }
  out += "],\"data_offsets\":[" + std::to_string(begin) + "," +
         std::to_string(begin + tensor.bytes.size()) + "]}";
}

} // namespace

Status
k3::makeSafetensorsHeader(std::span<const TensorBytes> tensors,
                          const std::map<std::string, std::string> &metadata,
                          std::string &out) {
  for (const auto &[key, value] : metadata) {
    K3_TRY(checkText(key));
    K3_TRY(checkText(value));
  }
  std::string json = "{";
  if (!metadata.empty())
    appendMetadata(json, metadata);
  uint64_t begin = 0;
  const TensorBytes *before = nullptr;
  for (const TensorBytes *tensor : sortedByName(tensors)) {
    K3_TRY(checkTensor(*tensor));
    if (before && before->name == tensor->name)
      return misuse("tensor " + quote(tensor->name) + " is given twice");
    if (json.size() > 1)
      json += ',';
    appendTensor(json, *tensor, begin);
    begin += tensor->bytes.size();
    before = tensor;
  }
  json += '}';
  json.resize((json.size() + 7) / 8 * 8, ' ');
  out.clear();
  for (unsigned i = 0; i < 8; ++i)
    out += char(json.size() >> 8 * i & 0xff);
  out += json;
  return {};
}

Status
k3::writeSafetensors(const std::string &path,
                     std::span<const TensorBytes> tensors,
                     const std::map<std::string, std::string> &metadata) {
  std::string header;
  K3_TRY(makeSafetensorsHeader(tensors, metadata, header));
  AtomicFile file;
  K3_TRY(file.create(path));
  K3_TRY(file.write(header));
  for (const TensorBytes *tensor : sortedByName(tensors))
    K3_TRY(file.write(tensor->bytes));
  return file.commit();
}
