// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens every file through the folder's descriptor, and joins the headers.

#include "runtime/format/Checkpoint.h"

#include "runtime/base/Escape.h"
#include "runtime/format/SafetensorsIndex.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>

using namespace k3;

namespace {

constexpr const char *indexName = "model.safetensors.index.json";
constexpr const char *fileName = "model.safetensors";

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

bool isPickle(std::string_view file) {
  return endsWith(file, ".bin") || endsWith(file, ".pt") ||
         endsWith(file, ".pth") || endsWith(file, ".ckpt");
}

Status refusePickle(const std::string &where) {
  return Status::error(Code::BadInput, 131,
                       escaped(where) +
                           ": pickle files are not read (they can run code)",
                       "convert to safetensors");
}

/// A folder without a checkpoint: says what is there instead.
Status refuseFolder(const Folder &folder) {
  std::vector<std::string> files;
  K3_TRY(folder.list(10'000, files));
  for (const std::string &file : files)
    if (isPickle(file))
      return refusePickle(folder.path() + "/" + file);
  return Status::error(Code::BadInput, 130,
                       escaped(folder.path()) +
                           ": no checkpoint here (wanted " + indexName +
                           " or " + fileName + ")");
}

Status notInShard(const SafetensorsFile &shard, const std::string &tensor) {
  return Status::error(Code::BadInput, 134,
                       escaped(shard.path()) + ": tensor " + quote(tensor) +
                           " is not in it, but the index says so");
}

} // namespace

Status Checkpoint::open(const std::string &path, Checkpoint &out) {
  Checkpoint checkpoint;
  checkpoint.name = path;
  struct stat info;
  bool isFolder = path.find('\0') == std::string::npos &&
                  ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (!isFolder) {
    if (isPickle(path))
      return refusePickle(path);
    InputFile file;
    K3_TRY(InputFile::open(path, file));
    K3_TRY(checkpoint.addShard(std::move(file)));
    K3_TRY(checkpoint.addTensors());
    out = std::move(checkpoint);
    return {};
  }
  Folder folder;
  K3_TRY(Folder::open(path, folder));
  if (folder.has(indexName)) {
    K3_TRY(checkpoint.openShards(folder));
  } else if (folder.has(fileName)) {
    InputFile file;
    K3_TRY(folder.openFile(fileName, file));
    K3_TRY(checkpoint.addShard(std::move(file)));
    K3_TRY(checkpoint.addTensors());
  } else {
    return refuseFolder(folder);
  }
  out = std::move(checkpoint);
  return {};
}

Status Checkpoint::openShards(const Folder &folder) {
  InputFile file;
  K3_TRY(folder.openFile(indexName, file));
  std::vector<uint8_t> json;
  K3_TRY(readFile(file, mostIndexBytes, json));
  SafetensorsIndex index;
  K3_TRY(parseSafetensorsIndex(json, index).in(escaped(file.path())));
  paths.push_back(file.path());
  for (const std::string &shard : index.shards) {
    InputFile input;
    Status status = folder.openFile(shard, input);
    if (!status.ok() && status.number() == 601)
      return Status::error(Code::BadInput, 132,
                           status.text() + " (named by " + indexName + ")");
    K3_TRY(std::move(status));
    K3_TRY(addShard(std::move(input)));
  }
  K3_TRY(addTensors());
  for (const SafetensorsIndex::Place &place : index.tensors) {
    Entry entry = find(place.tensor);
    if (!entry || entry.shard != shards[place.shard].get())
      return notInShard(*shards[place.shard], place.tensor);
  }
  return {};
}

Status Checkpoint::addShard(InputFile file) {
  for (const auto &shard : shards)
    if (shard->input().isSameFile(file))
      return Status::error(Code::BadInput, 133,
                           escaped(file.path()) + ": is the same file as " +
                               quote(shard->path()));
  paths.push_back(file.path());
  auto shard = std::make_unique<SafetensorsFile>();
  K3_TRY(SafetensorsFile::open(std::move(file), *shard));
  shards.push_back(std::move(shard));
  return {};
}

Status Checkpoint::addTensors() {
  size_t count = 0;
  for (const auto &shard : shards)
    count += shard->header().tensors.size();
  entries.reserve(count);
  places.reserve(count);
  for (const auto &shard : shards)
    for (const SafetensorsTensor &tensor : shard->header().tensors) {
      auto [place, isNew] =
          places.try_emplace(tensor.name, uint32_t(entries.size()));
      if (!isNew)
        return Status::error(Code::BadInput, 133,
                             escaped(shard->path()) + ": tensor " +
                                 quote(tensor.name) + " is also in " +
                                 quote(entries[place->second].shard->path()));
      entries.push_back({&tensor, shard.get()});
    }
  return {};
}

Checkpoint::Entry Checkpoint::find(std::string_view tensor) const {
  auto place = places.find(tensor);
  return place == places.end() ? Entry() : entries[place->second];
}
