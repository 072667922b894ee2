// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of the C ABI are numbers in a pointer's clothes: a destroyed or
// foreign one is looked up and refused, never followed.

#ifndef K3_RUNTIME_RUN_HANDLES_H
#define K3_RUNTIME_RUN_HANDLES_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace k3::run {

/// What a handle refers to; two kinds of handle never compare equal.
enum class HandleKind : uintptr_t { Model = 1, Session = 2 };

/// A handle is generation (28 bits), index (32 bits), kind (4 bits). Reusing
/// an index raises its generation.
template <class T, HandleKind kind> class Handles {
public:
  void *add(std::shared_ptr<T> object) {
    std::unique_lock lock(mutex);
    size_t index = 0;
    while (index < rows.size() && rows[index].object)
      ++index;
    if (index == rows.size())
      rows.emplace_back();
    rows[index].object = std::move(object);
    ++rows[index].generation;
    return encode(index, rows[index].generation);
  }

  /// The object, or null when the handle is not one of a live object.
  std::shared_ptr<T> find(const void *handle) const {
    std::shared_lock lock(mutex);
    size_t index = indexOf(handle);
    if (index >= rows.size() || encode(index, rows[index].generation) != handle)
      return nullptr;
    return rows[index].object;
  }

  /// Forgets the handle. The object lives on while someone uses it.
  std::shared_ptr<T> remove(const void *handle) {
    std::unique_lock lock(mutex);
    size_t index = indexOf(handle);
    if (index >= rows.size() || encode(index, rows[index].generation) != handle)
      return nullptr;
    return std::move(rows[index].object);
  }

  static bool hasKind(const void *handle) {
    return (uintptr_t(handle) & 15) == uintptr_t(kind);
  }

private:
  struct Row {
    std::shared_ptr<T> object;
    uintptr_t generation = 0;
  };

  static size_t indexOf(const void *handle) {
    return hasKind(handle) ? (uintptr_t(handle) >> 4) & 0xffffffff : SIZE_MAX;
  }
  static void *encode(size_t index, uintptr_t generation) {
    return reinterpret_cast<void *>(((generation & 0xfffffff) << 36) |
                                    (index << 4) | uintptr_t(kind));
  }

  mutable std::shared_mutex mutex;
  std::vector<Row> rows;
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_HANDLES_H
