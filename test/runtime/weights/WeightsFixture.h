// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index of weights and a checkpoint for it.

#ifndef K3_TEST_RUNTIME_WEIGHTS_WEIGHTSFIXTURE_H
#define K3_TEST_RUNTIME_WEIGHTS_WEIGHTSFIXTURE_H

#include "runtime/base/DType.h"
#include "runtime/format/Artefact_generated.h"
#include "runtime/weights/WeightsLoader.h"
#include "test/runtime/TempFolder.h"

namespace k3::test {

struct WeightsTest : testing::Test {
  /// Declares a weight, taken from "<name>.weight" of the same shape and type.
  artefact::WeightT &
  weight(const std::string &name, DType dtype, std::vector<int64_t> shape,
         artefact::Packing packing = artefact::Packing::None);
  /// Adds a tensor to the checkpoint.
  void tensor(const std::string &name, DType dtype, std::vector<int64_t> shape,
              std::vector<uint8_t> bytes);
  /// The same with elements 0, 1, 2, ... of the type's bytes, from `first`.
  void counting(const std::string &name, DType dtype,
                std::vector<int64_t> shape, int64_t first = 0);
  /// Writes the checkpoint and loads all weights.
  Status load(const LoadOptions &options = {});

  template <class T> std::vector<T> values(size_t number) const {
    const AlignedBuffer &buffer = buffers.at(number);
    std::vector<T> result(buffer.size() / sizeof(T));
    memcpy(result.data(), buffer.data(), result.size() * sizeof(T));
    return result;
  }

  struct Stored {
    std::string name, dtype;
    std::vector<int64_t> shape;
    std::vector<uint8_t> bytes;
  };

  TempFolder folder;
  artefact::IndexT index;
  std::vector<Stored> stored;
  std::vector<AlignedBuffer> buffers;
};

template <class T> std::vector<uint8_t> bytesOfValues(std::vector<T> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

} // namespace k3::test

#endif // K3_TEST_RUNTIME_WEIGHTS_WEIGHTSFIXTURE_H
