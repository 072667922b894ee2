// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the reference gets weights from.

#ifndef K3_REFERENCE_WEIGHTS_H
#define K3_REFERENCE_WEIGHTS_H

#include "k3/Dialect/K3/IR/K3.h"
#include "k3/Reference/Tensor.h"
#include "runtime/format/Checkpoint.h"

#include "llvm/ADT/StringMap.h"

namespace k3::reference {

class WeightSource {
public:
  virtual ~WeightSource() = default;
  /// The value of a declaration, of its `type`.
  virtual Status load(WeightOp weight, TensorPtr &out) = 0;
};

/// Weights of a checkpoint, converted when first asked for and then kept.
class CheckpointWeights : public WeightSource {
public:
  /// As Checkpoint::open.
  static Status open(const std::string &path, CheckpointWeights &out) {
    return Checkpoint::open(path, out.checkpoint);
  }

  Status load(WeightOp weight, TensorPtr &out) override;

private:
  Status convert(WeightOp weight, Tensor &out) const;
  /// Appends the elements of one stored tensor.
  Status append(WeightOp weight, const std::string &source, Tensor &out) const;

  Checkpoint checkpoint;
  llvm::StringMap<TensorPtr> converted;
};

} // namespace k3::reference

#endif // K3_REFERENCE_WEIGHTS_H
