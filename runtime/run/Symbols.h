// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that stand for an artefact's dynamic dimensions in one call.

#ifndef K3_RUNTIME_RUN_SYMBOLS_H
#define K3_RUNTIME_RUN_SYMBOLS_H

#include "runtime/base/Status.h"
#include "runtime/run/Plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace k3::run {

class Symbols {
public:
  explicit Symbols(const std::vector<std::string> &names)
      : names(names), values(names.size(), unbound),
        origins(names.size(), nullptr) {}

  static constexpr int64_t unbound = -1;

  /// Gives `symbol` a value, or checks that it has this one already. `origin`
  /// names what the value was read from and must outlive this object.
  Status bind(int32_t symbol, int64_t value, const char *origin);

  /// The value, or `unbound`.
  int64_t get(int32_t symbol) const { return values[symbol]; }
  bool isBound(int32_t symbol) const { return values[symbol] != unbound; }
  int64_t valueOf(const Dim &dim) const {
    return dim.symbol < 0 ? dim.size : values[dim.symbol];
  }

  /// scale * symbol + bytes; an error when it is negative or overflows.
  Status evaluate(const Extent &extent, int64_t &out) const;

  const std::vector<int64_t> &all() const { return values; }
  const std::string &name(int32_t symbol) const { return names[symbol]; }

private:
  const std::vector<std::string> &names;
  std::vector<int64_t> values;
  std::vector<const char *> origins;
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_SYMBOLS_H
