// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `NAME=FILE:TENSOR` arguments: tensors in and out.

#include "TensorFiles.h"

#include "runtime/base/DType.h"
#include "runtime/base/Escape.h"
#include "runtime/format/SafetensorsFile.h"
#include "runtime/format/SafetensorsWriter.h"
#include "tools/support/StandardOutput.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <map>

namespace k3::run {

namespace {

constexpr int badArgument = 442;

Status usage(std::string text) {
  return Status::error(Code::BadUsage, badArgument, std::move(text));
}

/// The DType with the number of a k3_dtype.
DType typeOf(k3_dtype dtype) { return DType(uint8_t(dtype)); }

/// Numbers between commas, spaces or lines as I64.
Status parseNumbers(std::string_view text, OwnedTensor &out) {
  std::vector<int64_t> values;
  auto separates = [](char c) {
    return c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
  };
  size_t at = 0;
  while (true) {
    while (at < text.size() && separates(text[at]))
      ++at;
    if (at == text.size())
      break;
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), value);
    size_t next = size_t(end - text.data());
    if (error != std::errc() || (next < text.size() && !separates(text[next])))
      return usage("--in " + out.name + ": not a list of whole numbers");
    values.push_back(value);
    at = next;
  }
  out.dtype = K3_I64;
  out.shape = {int64_t(values.size())};
  out.bytes.resize(values.size() * sizeof(int64_t));
  if (!values.empty())
    std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
  return {};
}

template <typename T> T elementAt(const uint8_t *bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

double numberAt(DType dtype, const uint8_t *bytes, size_t i) {
  switch (dtype) {
  case DType::F32:
    return elementAt<float>(bytes, i);
  case DType::BF16:
    return floatFromBf16(elementAt<uint16_t>(bytes, i));
  case DType::F16:
    return floatFromHalf(elementAt<uint16_t>(bytes, i));
  case DType::F64:
    return elementAt<double>(bytes, i);
  case DType::I32:
    return elementAt<int32_t>(bytes, i);
  case DType::I64:
    return double(elementAt<int64_t>(bytes, i));
  case DType::U8:
    return bytes[i];
  }
  return 0;
}

template <typename T> void putAt(uint8_t *bytes, size_t i, T value) {
  std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
}

void putNumber(DType dtype, uint8_t *bytes, size_t i, double value) {
  switch (dtype) {
  case DType::F32:
    return putAt(bytes, i, float(value));
  case DType::BF16:
    return putAt(bytes, i, bf16FromFloat(float(value)));
  case DType::F16:
    return putAt(bytes, i, halfFromFloat(float(value)));
  case DType::F64:
    return putAt(bytes, i, value);
  case DType::I32:
    return putAt(bytes, i, int32_t(value));
  case DType::I64:
    return putAt(bytes, i, int64_t(value));
  case DType::U8:
    return putAt(bytes, i, uint8_t(value));
  }
}

bool isFloat(DType dtype) {
  return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16 ||
         dtype == DType::F64;
}

Status convert(DType wanted, OwnedTensor &tensor) {
  DType have = typeOf(tensor.dtype);
  if (have == wanted)
    return {};
  if (isFloat(have) != isFloat(wanted))
    return Status::error(Code::BadInput, 443,
                         "--in " + tensor.name +
                             ": wrong kind of number "
                             "(wanted " +
                             std::string(nameOf(wanted)) + ", got " +
                             std::string(nameOf(have)) + ")");
  size_t count = tensor.bytes.size() / bytesOf(have);
  std::vector<uint8_t> converted(count * bytesOf(wanted));
  for (size_t i = 0; i < count; ++i) {
    double value = numberAt(have, tensor.bytes.data(), i);
    putNumber(wanted, converted.data(), i, value);
    if (!isFloat(wanted) && numberAt(wanted, converted.data(), i) != value)
      return Status::error(Code::BadInput, 444,
                           "--in " + tensor.name + "[" + std::to_string(i) +
                               "] does not fit " + std::string(nameOf(wanted)));
  }
  tensor.bytes = std::move(converted);
  tensor.dtype = k3_dtype(int(wanted));
  return {};
}

Status readFromFile(const TensorPlace &place, OwnedTensor &out) {
  SafetensorsFile file;
  K3_TRY(SafetensorsFile::open(place.file, file));
  const SafetensorsTensor *found = file.find(place.tensor);
  if (!found)
    return Status::error(Code::BadInput, 445,
                         escaped(place.file) + ": no tensor " +
                             quote(place.tensor));
  std::optional<DType> dtype = parseDType(found->dtype);
  if (!dtype || found->shape.size() > K3_MAX_RANK)
    return Status::error(Code::BadInput, 446,
                         escaped(place.file) + ": tensor " +
                             quote(place.tensor) +
                             " has a dtype or rank that is not supported");
  out.dtype = k3_dtype(int(*dtype));
  out.shape = found->shape;
  out.bytes.resize(found->bytes());
  return file.read(*found, 0, out.bytes);
}

} // namespace

k3_tensor OwnedTensor::view() {
  k3_tensor tensor = {};
  tensor.name = name.c_str();
  tensor.dtype = dtype;
  tensor.rank = int32_t(shape.size());
  std::copy(shape.begin(), shape.end(), tensor.shape);
  tensor.data = bytes.data();
  tensor.bytes = bytes.size();
  return tensor;
}

Status parsePlace(const std::string &text, const char *flag, TensorPlace &out) {
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return usage(std::string(flag) + " " + quote(text) +
                 ": wanted NAME=FILE:TENSOR");
  out.name = text.substr(0, equals);
  std::string where = text.substr(equals + 1);
  if (where.starts_with("@")) {
    out.literal = where.substr(1);
    return {};
  }
  if (where == "-") {
    out.file = where;
    return {};
  }
  size_t colon = where.rfind(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == where.size())
    return usage(std::string(flag) + " " + quote(text) +
                 ": wanted NAME=FILE:TENSOR");
  out.file = where.substr(0, colon);
  out.tensor = where.substr(colon + 1);
  return {};
}

Status readTensor(const TensorPlace &place, k3_dtype wanted, OwnedTensor &out) {
  out.name = place.name;
  if (place.file.empty()) {
    K3_TRY(parseNumbers(place.literal, out));
  } else if (place.file == "-") {
    std::string text(std::istreambuf_iterator<char>(std::cin), {});
    K3_TRY(parseNumbers(text, out));
  } else {
    K3_TRY(readFromFile(place, out));
  }
  return convert(typeOf(wanted), out);
}

static void printTensor(const OwnedTensor &tensor) {
  DType dtype = typeOf(tensor.dtype);
  size_t count = tensor.bytes.size() / bytesOf(dtype);
  size_t row = tensor.shape.empty() ? 1 : size_t(tensor.shape.back());
  for (size_t i = 0; i < count; ++i) {
    std::printf("%.9g", numberAt(dtype, tensor.bytes.data(), i));
    std::putchar(row == 0 || (i + 1) % row == 0 ? '\n' : ' ');
  }
}

Status writeTensors(const std::vector<TensorPlace> &places,
                    std::vector<OwnedTensor> &tensors) {
  std::map<std::string, std::vector<TensorBytes>> files;
  for (const TensorPlace &place : places)
    for (OwnedTensor &tensor : tensors) {
      if (tensor.name != place.name)
        continue;
      if (place.file == "-")
        printTensor(tensor);
      else
        files[place.file].push_back({place.tensor,
                                     std::string(nameOf(typeOf(tensor.dtype))),
                                     tensor.shape, tensor.bytes});
    }
  for (auto &[path, contents] : files)
    K3_TRY(writeSafetensors(path, contents, {}));
  return tools::flushOutput();
}

} // namespace k3::run
