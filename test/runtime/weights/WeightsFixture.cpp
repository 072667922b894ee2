// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are computed as the compiler would.

#include "test/runtime/weights/WeightsFixture.h"

#include "runtime/format/PackedSize.h"
#include "runtime/format/SafetensorsWriter.h"

using namespace k3;
using namespace k3::test;

artefact::WeightT &WeightsTest::weight(const std::string &name, DType dtype,
                                       std::vector<int64_t> shape,
                                       artefact::Packing packing) {
  auto made = std::make_unique<artefact::WeightT>();
  made->name = name;
  made->source = name + ".weight";
  made->dtype = made->source_dtype = artefact::DType(dtype);
  made->shape = made->source_shape = shape;
  made->packing = packing;
  made->bytes = packedBytes(shape, dtype, packing).value();
  index.weights.push_back(std::move(made));
  return *index.weights.back();
}

void WeightsTest::tensor(const std::string &name, DType dtype,
                         std::vector<int64_t> shape,
                         std::vector<uint8_t> bytes) {
  stored.push_back(
      {name, std::string(nameOf(dtype)), std::move(shape), std::move(bytes)});
}

void WeightsTest::counting(const std::string &name, DType dtype,
                           std::vector<int64_t> shape, int64_t first) {
  int64_t count = 0;
  ASSERT_TRUE(elementCount(shape, count));
  std::vector<uint8_t> bytes(size_t(count) * bytesOf(dtype));
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = first + i;
    auto value = float(number);
    uint16_t half =
        dtype == DType::BF16 ? bf16FromFloat(value) : halfFromFloat(value);
    const void *from = &number;
    if (dtype == DType::F32)
      from = &value;
    else if (bytesOf(dtype) == 2)
      from = &half;
    memcpy(bytes.data() + size_t(i) * bytesOf(dtype), from, bytesOf(dtype));
  }
  tensor(name, dtype, std::move(shape), std::move(bytes));
}

Status WeightsTest::load(const LoadOptions &options) {
  std::vector<TensorBytes> tensors;
  for (const Stored &tensor : stored)
    tensors.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.bytes});
  K3_TRY(writeSafetensors(folder / "model.safetensors", tensors, {}));
  if (index.producer.empty())
    index.producer = index.source_sha256 = "x";
  flatbuffers::FlatBufferBuilder builder;
  artefact::FinishIndexBuffer(builder, artefact::Index::Pack(builder, &index));
  return loadWeights(*artefact::GetIndex(builder.GetBufferPointer()),
                     folder.path, options, &buffers);
}
