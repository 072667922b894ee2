// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the IR as types of the plan, with checked sizes.

#ifndef K3_LIB_ARTEFACT_PLANTYPES_H
#define K3_LIB_ARTEFACT_PLANTYPES_H

#include "k3/Artefact/Plan.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace k3 {

/// None for an element type that no buffer can have.
std::optional<plan::DType> dtypeOf(mlir::Type element);

/// Bytes of an element.
int64_t elementBytes(plan::DType dtype);

/// The product of sizes that are not negative; none when it passes 2^62.
std::optional<int64_t> checkedProduct(llvm::ArrayRef<int64_t> sizes);

/// Numbers symbols by name, once for the whole file.
class SymbolNames {
public:
  int number(llvm::StringRef name) {
    auto [entry, added] = numbers.try_emplace(name, int(names.size()));
    if (added)
      names.push_back(name.str());
    return entry->second;
  }
  int find(llvm::StringRef name) const {
    auto entry = numbers.find(name);
    return entry == numbers.end() ? -1 : entry->second;
  }
  const std::vector<std::string> &list() const { return names; }

private:
  llvm::StringMap<int> numbers;
  std::vector<std::string> names;
};

} // namespace k3

#endif // K3_LIB_ARTEFACT_PLANTYPES_H
