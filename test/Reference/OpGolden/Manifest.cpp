// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups in a manifest entry.

#include "Manifest.h"

#include "k3/Reference/TensorFile.h"

using namespace k3;
using namespace k3::golden;

std::string ManifestCase::text(llvm::StringRef key) const {
  return entry.getString(key).value_or("").str();
}

double ManifestCase::number(llvm::StringRef key) const {
  if (auto value = entry.getNumber(key))
    return *value;
  for (llvm::StringRef group : {"shape", "dims", "tolerance"})
    if (const llvm::json::Object *object = entry.getObject(group))
      if (auto value = object->getNumber(key))
        return *value;
  return 0;
}

std::vector<int32_t> ManifestCase::numbers(llvm::StringRef key) const {
  std::vector<int32_t> out;
  if (const llvm::json::Array *array = entry.getArray(key))
    for (const llvm::json::Value &value : *array)
      out.push_back(value.getAsInteger().value_or(0));
  return out;
}

bool ManifestCase::has(llvm::StringRef kind, llvm::StringRef name) const {
  const llvm::json::Object *object = entry.getObject(kind);
  return object && object->getString(name);
}

Tensor ManifestCase::tensor(llvm::StringRef kind, llvm::StringRef name) {
  auto fail = [&](std::string what) {
    if (firstProblem.empty())
      firstProblem = what;
    return Tensor();
  };
  if (!has(kind, name))
    return fail("no " + kind.str() + " '" + name.str() + "'");
  auto [file, tensorName] = entry.getObject(kind)->getString(name)->split(':');
  NamedTensors &tensors = files[file.str()];
  if (tensors.empty()) {
    Status status =
        reference::readTensorFile(folder + "/" + file.str(), tensors);
    if (!status.ok())
      return fail(status.render());
  }
  auto found = tensors.find(tensorName.str());
  if (found == tensors.end())
    return fail("no tensor '" + tensorName.str() + "' in " + file.str());
  return *found->second;
}

Tensor k3::golden::reshaped(Tensor x, llvm::ArrayRef<int64_t> shape) {
  x.shape.assign(shape.begin(), shape.end());
  return x;
}

Tensor k3::golden::packed(const Tensor &x, int64_t tokens) {
  if (x.shape.size() < 2)
    return x;
  reference::Shape shape(x.shape.begin() + 1, x.shape.end());
  int64_t batches = x.shape[0], all = x.shape[1];
  int64_t width = all ? x.rowSize() / all : 0;
  shape[0] = batches * tokens;
  Tensor out = x.isInteger ? Tensor::ofIntegers(shape) : Tensor::ofReals(shape);
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < tokens * width; ++i) {
      int64_t from = b * all * width + i, to = b * tokens * width + i;
      if (x.isInteger)
        out.integers[to] = x.integers[from];
      else
        out.reals[to] = x.reals[from];
    }
  return out;
}

Tensor k3::golden::packed(const Tensor &x) {
  return packed(x, x.shape.size() < 2 ? 0 : x.shape[1]);
}
