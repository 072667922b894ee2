// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `NAME=FILE:TENSOR` arguments: tensors in and out.

#ifndef K3_TOOLS_K3_RUN_TENSORFILES_H
#define K3_TOOLS_K3_RUN_TENSORFILES_H

#include "runtime/base/Status.h"
#include "runtime/include/k3rt.h"

#include <string>
#include <vector>

namespace k3::run {

/// A tensor that owns its bytes.
struct OwnedTensor {
  std::string name;
  k3_dtype dtype = K3_F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  k3_tensor view();
};

/// Where an argument comes from or goes to.
struct TensorPlace {
  std::string name, file, tensor; ///< `file` "-": text on the standard streams
  std::string literal;            ///< of "@1,2,3"
};

Status parsePlace(const std::string &text, const char *flag, TensorPlace &out);

/// Reads a tensor and converts whole numbers and floats to `wanted`.
Status readTensor(const TensorPlace &place, k3_dtype wanted, OwnedTensor &out);

/// Writes tensors, those of one file together.
Status writeTensors(const std::vector<TensorPlace> &places,
                    std::vector<OwnedTensor> &tensors);

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_TENSORFILES_H
