// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one checkpoint spells the names that all checkpoints of the family mean.

#ifndef K3_LIB_IMPORT_NAMEMAP_H
#define K3_LIB_IMPORT_NAMEMAP_H

#include "k3/Import/TensorTable.h"

namespace k3 {

class NameMap {
public:
  /// Looks which prefix the names of `table` have.
  static NameMap detect(const TensorTable &table);

  /// Full name of a tensor of the text model, e.g. of
  /// "layers.0.self_attn.q_proj.weight".
  std::string full(llvm::StringRef name) const { return prefix + name.str(); }
  /// Full name of a tensor beside the text model: "lm_head.weight".
  std::string head(llvm::StringRef name) const {
    return headPrefix + name.str();
  }
  /// The name after the text model's prefix, or empty.
  llvm::StringRef strip(llvm::StringRef full) const {
    return full.consume_front(prefix) ? full : llvm::StringRef();
  }

  /// Vision towers and projectors are not part of the text model.
  static bool isVision(llvm::StringRef full);

private:
  std::string prefix, headPrefix;
};

/// `name` with its '{}' replaced by a number.
std::string withIndex(llvm::StringRef name, int64_t index);

/// The alternative that a table has (with `stack`, that it has for any index
/// below it); the first when it has none.
std::string pickName(const TensorTable &table,
                     llvm::ArrayRef<std::string> alternatives, int64_t stack);

} // namespace k3

#endif // K3_LIB_IMPORT_NAMEMAP_H
