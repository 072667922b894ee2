// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules as text, tensors as safetensors.

#include "WriteCase.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/format/SafetensorsWriter.h"

#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace k3;
using namespace k3::golden;

namespace {

/// Tensors with the bytes they are made of.
struct TensorList {
  std::vector<TensorBytes> tensors;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> storage;

  template <class To, class From>
  void add(const std::string &name, const char *dtype, const Tensor &tensor,
           const std::vector<From> &values) {
    auto bytes =
        std::make_unique<std::vector<uint8_t>>(values.size() * sizeof(To));
    for (auto [i, value] : llvm::enumerate(values)) {
      To stored = static_cast<To>(value);
      std::memcpy(bytes->data() + i * sizeof(To), &stored, sizeof(To));
    }
    tensors.push_back(
        {name, dtype, {tensor.shape.begin(), tensor.shape.end()}, *bytes});
    storage.push_back(std::move(bytes));
  }
};

} // namespace

k3::Status k3::golden::writeCase(const OpCase &made,
                                 const std::string &folder) {
  std::string stem = folder + "/" + made.name;
  std::replace(stem.begin() + folder.size() + 1, stem.end(), '/', '.');
  std::string text;
  llvm::raw_string_ostream stream(text);
  const_cast<OwningOpRef<ModuleOp> &>(made.module)->print(stream);
  K3_TRY(writeFile(stem + ".mlir", text + "\n"));

  TensorList inputs, outputs;
  auto function = const_cast<OwningOpRef<ModuleOp> &>(made.module)
                      ->lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string name = reference::inputName(function, i);
    const Tensor &tensor = *made.inputs.at(name);
    Type element = cast<RankedTensorType>(function.getArgument(i).getType())
                       .getElementType();
    if (!tensor.isInteger)
      inputs.add<float>(name, "F32", tensor, tensor.reals);
    else if (element.isInteger(8))
      inputs.add<uint8_t>(name, "U8", tensor, tensor.integers);
    else
      inputs.add<int32_t>(name, "I32", tensor, tensor.integers);
  }
  for (const auto &[name, expected] : made.outputs) {
    std::string key =
        expected.row < 0 ? name : name + "@" + std::to_string(expected.row);
    outputs.add<float>(key, "F32", *expected.value, expected.value->reals);
  }
  TensorList weights;
  for (const auto &[name, tensor] : made.weights)
    if (tensor->isInteger)
      weights.add<uint8_t>(name, "U8", *tensor, tensor->integers);
    else
      weights.add<float>(name, "F32", *tensor, tensor->reals);
  if (!weights.tensors.empty())
    K3_TRY(
        writeSafetensors(stem + ".weights.safetensors", weights.tensors, {}));
  std::map<std::string, std::string> metadata = {
      {"f32_tolerance", std::to_string(made.f32Tolerance * 1e6) + "e-6"},
      {"bf16_tolerance", std::to_string(made.bf16Tolerance)}};
  K3_TRY(writeSafetensors(stem + ".in.safetensors", inputs.tensors, {}));
  return writeSafetensors(stem + ".out.safetensors", outputs.tensors, metadata);
}
