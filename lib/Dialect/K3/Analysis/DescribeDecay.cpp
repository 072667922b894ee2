// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was proven about the exponents of an op, in words.

#include "k3/Dialect/K3/Analysis/DecayBounds.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;

namespace k3 {

static std::string text(double number) {
  std::string out;
  llvm::raw_string_ostream(out) << llvm::format("%g", number);
  return out;
}

FailureOr<DecayBounds> provenBounds(DeltaRuleOp op) {
  if (!op.getG())
    return DecayBounds{0, 0};
  FailureOr<DecayBounds> bounds = decayBoundsOf(op.getG());
  // A bound that is positive and finite was stated or computed; a missing one
  // says nothing, and pairwise differences are then what the op means.
  if (succeeded(bounds) && bounds->upper > 0 && std::isfinite(bounds->upper))
    return op.emitError("K3-E0520: log-decays may be as large as ")
           << text(bounds->upper)
           << "; chunks need log-decays that are not positive";
  return bounds;
}

static std::string whyPairwise(DeltaRuleOp op, const DecayBounds &bounds,
                               int64_t rows) {
  if (bounds.upper > 0)
    return "no upper bound is known";
  if (std::isinf(bounds.lower))
    return "no lower bound is known";
  return "factors would need |exponent| <= " +
         text(anchoredExponent(op, bounds, rows)) + ", the limit is " +
         text(kLargestBase2Exponent * std::log(2.0));
}

std::string describeDecay(DeltaRuleOp op, const DecayBounds &bounds,
                          int64_t rows) {
  DecayChoice choice = chooseDecayForm(op, bounds, rows);
  if (choice.form == DecayForm::Plain)
    return "no decay: no exponents";
  std::string start = "log-decay in [" + text(bounds.lower) + ", " +
                      text(bounds.upper) + "], sub-tiles of " +
                      std::to_string(rows) + ": ";
  if (choice.form == DecayForm::Scalar)
    return start + "scalar exponents" +
           (bounds.upper <= 0 ? ", none positive"
                              : ": no upper bound is known");
  if (choice.form == DecayForm::Pairwise)
    return start + "pairwise differences: " + whyPairwise(op, bounds, rows);
  return start + "anchored at row " + std::to_string(choice.anchor) +
         ", |exponent| <= " + text(choice.exponent) + " (" +
         text(choice.exponent / std::log(2.0)) + " in base 2, limit " +
         text(kLargestBase2Exponent) + ")";
}

} // namespace k3
