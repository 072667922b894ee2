// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random well-formed k3.delta_rule programs.

#ifndef K3_TEST_REFERENCE_OPGOLDEN_RANDOMDELTA_H
#define K3_TEST_REFERENCE_OPGOLDEN_RANDOMDELTA_H

#include "k3/Reference/ModelRunner.h"

#include <random>

namespace k3::golden {

/// Attributes, sizes, sequences and values that a seed decides. The function
/// is `main`, its results are "o", "h" and, with a normaliser, "n".
class RandomDelta {
public:
  explicit RandomDelta(unsigned seed);

  const std::string &text() const { return moduleText; }
  const reference::NamedTensors &inputs() const { return values; }
  int64_t chunkSize() const { return chunk; }
  int64_t subTile() const { return tile; }

private:
  int64_t pick(std::vector<int64_t> choices);
  double uniform(double low, double high);
  void chooseSizes();
  void chooseAttributes();
  void chooseSequences();
  void addOperands();
  void addGates();
  /// An argument of the function and operand `word` of the op.
  void operand(const std::string &word, const std::string &name,
               llvm::ArrayRef<int64_t> shape, double low, double high,
               bool fixed = false);
  /// Rows of unit length, half of them nearly the same.
  void unitRows(const std::string &name);
  std::string typeOf(llvm::ArrayRef<int64_t> shape, bool fixed) const;
  void write();

  std::mt19937_64 engine;
  int64_t heads, valueHeads, keyWidth, valueWidth, tokens, sequences, pool;
  int64_t chunk, tile;
  std::string decay, erase, rule, readState;
  bool normalizes, vFirst;
  double lower; // of log-decays
  bool statesBounds;
  std::string arguments, types, operands, moduleText;
  reference::NamedTensors values;
};

} // namespace k3::golden

#endif // K3_TEST_REFERENCE_OPGOLDEN_RANDOMDELTA_H
