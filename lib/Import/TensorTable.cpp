// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers of a model folder as one table.

#include "k3/Import/TensorTable.h"

#include "runtime/format/Checkpoint.h"

using namespace k3;

Status k3::readTensorTable(const std::string &folder, TensorTable &table,
                           std::vector<std::string> &files) {
  Checkpoint checkpoint;
  K3_TRY(Checkpoint::open(folder, checkpoint));
  for (const Checkpoint::Entry &entry : checkpoint.tensors())
    table.add(entry.tensor->name, entry.tensor->dtype, entry.tensor->shape);
  files = checkpoint.files();
  return {};
}
