// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors of a checkpoint by name: element type and shape, no data.

#ifndef K3_IMPORT_TENSORTABLE_H
#define K3_IMPORT_TENSORTABLE_H

#include "runtime/base/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace k3 {

struct TensorInfo {
  llvm::StringRef dtype; ///< as safetensors spells it; a static string
  llvm::SmallVector<int64_t, 3> shape;
};

class TensorTable {
public:
  void add(llvm::StringRef name, llvm::StringRef dtype,
           llvm::ArrayRef<int64_t> shape) {
    tensors[name] = {dtype, llvm::SmallVector<int64_t, 3>(shape)};
  }
  /// Null when there is none of that name.
  const TensorInfo *find(llvm::StringRef name) const {
    auto it = tensors.find(name);
    return it == tensors.end() ? nullptr : &it->second;
  }
  bool contains(llvm::StringRef name) const { return find(name); }
  size_t size() const { return tensors.size(); }
  const llvm::StringMap<TensorInfo> &all() const { return tensors; }

private:
  llvm::StringMap<TensorInfo> tensors;
};

/// Reads the headers of all shards of a model folder, and lists its files.
Status readTensorTable(const std::string &folder, TensorTable &table,
                       std::vector<std::string> &files);

} // namespace k3

#endif // K3_IMPORT_TENSORTABLE_H
