// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the weights that a model needs with the tensors that a checkpoint
// has, and lists every difference.

#ifndef K3_IMPORT_TENSORCHECK_H
#define K3_IMPORT_TENSORCHECK_H

#include "k3/Import/WeightPlan.h"

#include "llvm/Support/raw_ostream.h"

namespace k3 {

/// One line of the report.
struct TensorProblem {
  std::string name;
  std::string text;
};

/// A weight whose tensors are all there: what k3.weight declares.
struct DeclaredWeight {
  PlannedWeight plan;
  llvm::StringRef storedType; ///< BF16, F32, F16 or U8
  llvm::SmallVector<int64_t, 3> storedShape;
  bool padded = false;
};

struct TensorReport {
  std::vector<TensorProblem> missing, misshaped, padded, unexpected;
  size_t vision = 0; ///< tensors of the vision tower, ignored
  size_t extra = 0;  ///< tensors of next-token-prediction layers, ignored
  std::vector<DeclaredWeight> weights;

  bool fits() const { return missing.empty() && misshaped.empty(); }
};

TensorReport checkTensors(const ModelConfig &config, const TensorTable &table,
                          const std::vector<PlannedWeight> &plan);

/// Prints sorted lines "KIND NAME: TEXT", at most `limit` of a kind.
void printReport(const TensorReport &report, size_t limit,
                 llvm::raw_ostream &out);

/// "3 missing, 1 mis-shaped, ..." without the kinds that did not occur.
std::string summarize(const TensorReport &report);

/// The error of a report that does not fit, or with `strict` has tensors that
/// nothing needs.
Status reportStatus(const TensorReport &report, llvm::StringRef where,
                    bool strict);

} // namespace k3

#endif // K3_IMPORT_TENSORCHECK_H
