// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of cases, by kind of operation.

#ifndef K3_TEST_REFERENCE_OPGOLDEN_CASES_H
#define K3_TEST_REFERENCE_OPGOLDEN_CASES_H

#include "CaseBuilder.h"
#include "Manifest.h"

namespace k3::golden {

/// Where cases are collected.
struct CaseList {
  mlir::MLIRContext &context;
  bool bf16;
  std::vector<OpCase> &cases;

  CaseBuilder begin(const ManifestCase &entry, std::string suffix = {}) const {
    return CaseBuilder(context, bf16,
                       entry.model() + "/" + entry.name() + suffix);
  }
  void end(const ManifestCase &entry, CaseBuilder &builder) {
    cases.push_back(builder.finish(entry.number("f32_rel_suggested"),
                                   entry.number("bf16_rel_suggested")));
  }
};

// Each returns false when the entry is of another kind.
bool addRecurrence(ManifestCase &entry, CaseList &list);
bool addRowOperation(ManifestCase &entry, CaseList &list);
bool addShortConv(ManifestCase &entry, CaseList &list);
bool addLatentAttention(ManifestCase &entry, CaseList &list);
bool addExperts(ManifestCase &entry, CaseList &list);
bool addMamba2Mixer(ManifestCase &entry, CaseList &list);

} // namespace k3::golden

#endif // K3_TEST_REFERENCE_OPGOLDEN_CASES_H
