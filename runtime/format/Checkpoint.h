// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors of a model folder: an index with shards, or one file.

#ifndef K3_RUNTIME_FORMAT_CHECKPOINT_H
#define K3_RUNTIME_FORMAT_CHECKPOINT_H

#include "runtime/format/SafetensorsFile.h"

#include <unordered_map>

namespace k3 {

/// Immutable once open; reads may run on several threads.
class Checkpoint {
public:
  struct Entry {
    const SafetensorsTensor *tensor = nullptr;
    const SafetensorsFile *shard = nullptr;

    explicit operator bool() const { return tensor; }
    /// Fills `out` with the tensor's bytes from `offset`.
    Status read(uint64_t offset, std::span<uint8_t> out) const {
      return shard->read(*tensor, offset, out);
    }
  };

  /// `path` is a folder with model.safetensors.index.json and its shards or
  /// with model.safetensors, or it is a safetensors file. Reads headers only.
  static Status open(const std::string &path, Checkpoint &out);

  const std::string &path() const { return name; }
  /// All tensors, sorted by shard and place: the same on every run.
  const std::vector<Entry> &tensors() const { return entries; }
  /// False when there is none of that name.
  Entry find(std::string_view tensor) const;
  /// The files that were read, the index among them.
  const std::vector<std::string> &files() const { return paths; }

private:
  Status openShards(const Folder &folder);
  Status addShard(InputFile file);
  Status addTensors();

  std::string name;
  std::vector<std::unique_ptr<SafetensorsFile>> shards;
  std::vector<Entry> entries;
  std::unordered_map<std::string_view, uint32_t> places; // in `entries`
  std::vector<std::string> paths;
};

} // namespace k3

#endif // K3_RUNTIME_FORMAT_CHECKPOINT_H
