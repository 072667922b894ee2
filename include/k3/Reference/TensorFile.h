// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference values from safetensors files.

#ifndef K3_REFERENCE_TENSORFILE_H
#define K3_REFERENCE_TENSORFILE_H

#include "k3/Reference/Tensor.h"
#include "runtime/base/Status.h"

#include <map>
#include <string>

namespace k3::reference {

/// Reads every tensor of a file: F64, F32, BF16, F16, I32, U8 or I8.
Status readTensorFile(const std::string &path,
                      std::map<std::string, TensorPtr> &out);

} // namespace k3::reference

#endif // K3_REFERENCE_TENSORFILE_H
