// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only weight_map matters; other fields may hold anything.

#include "runtime/format/SafetensorsIndex.h"

#include "runtime/base/Escape.h"
#include "runtime/format/JsonReader.h"

#include <algorithm>
#include <map>

using namespace k3;

namespace {

constexpr size_t mostTensors = 2'000'000, mostShards = 10'000;

Status refuse(int number, const std::string &what) {
  return Status::error(Code::BadInput, number, what);
}

/// Whether a path stays beneath the folder that it is relative to.
bool staysBeneath(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos)
    return false;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find('/', begin), path.size());
    std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..")
      return false;
    begin = end + 1;
  }
  return true;
}

class IndexVisitor final : public JsonVisitor {
public:
  Status beginObject() override {
    if (depth == 1 && field == "weight_map") {
      inMap = true;
      if (std::exchange(hasMap, true))
        return refuse(123, "'weight_map' appears twice");
    } else if (inMap) {
      return unexpected("an object");
    }
    ++depth;
    return {};
  }
  Status endObject() override {
    --depth;
    inMap = false;
    return {};
  }
  Status beginArray() override {
    if (depth == 0 || inMap || (depth == 1 && field == "weight_map"))
      return unexpected("an array");
    ++depth;
    return {};
  }
  Status endArray() override {
    --depth;
    return {};
  }
  Status key(std::string &text) override {
    if (inMap || depth == 1)
      field = std::move(text);
    return {};
  }
  Status string(std::string &text) override {
    if (!inMap)
      return scalar("a string");
    if (field.find('\0') != std::string::npos)
      return refuse(120,
                    "tensor name " + quote(field) + " holds a zero character");
    if (!staysBeneath(text))
      return refuse(122, "shard path leaves the model folder (" + quote(text) +
                             " for " + quote(field) + ")");
    if (tensors.size() >= mostTensors)
      return refuse(121, "weight_map has more than " +
                             std::to_string(mostTensors) + " tensors");
    // Shards come in runs; most texts equal the one before.
    if (!lastShard || lastShard->first != text)
      lastShard = &*shards.try_emplace(text, uint32_t(shards.size())).first;
    if (shards.size() > mostShards)
      return refuse(121, "weight_map names more than " +
                             std::to_string(mostShards) + " shards");
    tensors.push_back({std::move(field), lastShard->second});
    return {};
  }
  Status number(uint64_t) override { return scalar("a number"); }
  Status otherNumber(const std::string &, const char *) override {
    return scalar("a number");
  }
  Status word(const char *text) override { return scalar(text); }

  Status finish(SafetensorsIndex &out) {
    if (!hasMap)
      return refuse(121, "'weight_map' is missing");
    // The map is in the order of names; tensors have numbers by appearance.
    std::vector<uint32_t> newNumber(shards.size());
    for (const auto &[shard, number] : shards) {
      newNumber[number] = uint32_t(out.shards.size());
      out.shards.push_back(shard);
    }
    for (SafetensorsIndex::Place &place : tensors)
      place.shard = newNumber[place.shard];
    std::vector<std::string_view> names;
    for (const SafetensorsIndex::Place &place : tensors)
      names.push_back(place.tensor);
    std::sort(names.begin(), names.end());
    auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
      return refuse(123,
                    "tensor " + quote(*twice) + " appears twice in weight_map");
    out.tensors = std::move(tensors);
    return {};
  }

private:
  Status scalar(const char *what) {
    if (depth == 0 || inMap || (depth == 1 && field == "weight_map"))
      return unexpected(what);
    return {};
  }
  Status unexpected(const char *what) {
    if (depth == 0)
      return refuse(121,
                    std::string("index is ") + what + " (wanted an object)");
    if (inMap)
      return refuse(121, "weight_map: shard of " + quote(field) + " is " +
                             what + " (wanted a string)");
    return refuse(121, std::string("'weight_map' is ") + what +
                           " (wanted an object)");
  }

  std::string field; // the last key of the top level or of the map
  std::map<std::string, uint32_t> shards;
  std::pair<const std::string, uint32_t> *lastShard = nullptr;
  std::vector<SafetensorsIndex::Place> tensors;
  int depth = 0;
  bool inMap = false, hasMap = false;
};

} // namespace

Status k3::parseSafetensorsIndex(std::span<const uint8_t> json,
                                 SafetensorsIndex &out) {
  IndexVisitor visitor;
  K3_TRY(readJson(json, "index", {120, 121}, visitor));
  SafetensorsIndex index;
  K3_TRY(visitor.finish(index));
  out = std::move(index);
  return {};
}
