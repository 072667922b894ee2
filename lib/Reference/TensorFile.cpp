// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole safetensors file as reference values.

#include "k3/Reference/TensorFile.h"

#include "Elements.h"
#include "runtime/base/Escape.h"
#include "runtime/format/SafetensorsFile.h"

using namespace k3;
using namespace k3::reference;

Status k3::reference::readTensorFile(const std::string &path,
                                     std::map<std::string, TensorPtr> &out) {
  SafetensorsFile file;
  K3_TRY(SafetensorsFile::open(path, file));
  for (const SafetensorsTensor &stored : file.header().tensors) {
    std::vector<uint8_t> bytes(stored.bytes());
    K3_TRY(file.read(stored, 0, bytes));
    Tensor tensor;
    tensor.shape.assign(stored.shape.begin(), stored.shape.end());
    tensor.isInteger = stored.dtype.find('F') == std::string_view::npos;
    if (!appendElements(bytes, stored.dtype, tensor))
      return Status::error(Code::BadInput, 805,
                           escaped(path) + ": tensor " + quote(stored.name) +
                               ": element type " + std::string(stored.dtype) +
                               " is not known to the reference");
    out[stored.name] = share(std::move(tensor));
  }
  return {};
}
