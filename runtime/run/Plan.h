// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the index of an artefact says about its entry points, checked and in
// the form that a call works with.

#ifndef K3_RUNTIME_RUN_PLAN_H
#define K3_RUNTIME_RUN_PLAN_H

#include "runtime/include/k3rt.h"
#include "runtime/state/StateSpec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace k3::run {

/// The value of `symbol` when that is not negative, else `size`.
struct Dim {
  int32_t symbol = -1;
  int64_t size = 0;
};

struct TensorSpec {
  std::string name;
  k3_dtype dtype = K3_F32;
  std::vector<Dim> dims;
};

enum class Role : uint8_t { Plain, Tokens, CuSeqlens, Slots, ContextLens };

struct ArgumentSpec : TensorSpec {
  Role role = Role::Plain;
};

/// scale * symbol + bytes; symbol -1 leaves only `bytes`.
struct Extent {
  int32_t symbol = -1;
  int64_t scale = 0;
  int64_t bytes = 0;
};

enum class Place : uint8_t { Input, Output, Weight, State, Arena };

struct BufferRef {
  Place place = Place::Input;
  int32_t index = 0;
  int64_t offset = 0;
};

enum class CommandKind : uint8_t { Launch, Copy, Fill };

struct CommandPlan {
  CommandKind kind = CommandKind::Launch;
  int32_t kernel = -1;
  std::vector<BufferRef> buffers;
  std::vector<int32_t> dims;
  int32_t gridSymbol = -1;
  int64_t gridTile = 1;
  int64_t gridMultiplier = 1;
  Extent bytes;
  std::string label;
};

struct Update {
  int32_t output = 0;
  int32_t input = 0;
};

struct EntryPlan {
  std::string name;
  std::vector<ArgumentSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<Extent> arena;
  std::vector<CommandPlan> commands;
  std::vector<Update> updates;

  /// The input with a role, or -1.
  int findRole(Role role) const {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].role == role)
        return int(i);
    return -1;
  }
};

struct KernelSpec {
  std::string symbol;
  uint64_t scratch = 0;
};

struct ModelPlan {
  std::string sourceSha256;
  std::string precision;
  std::vector<std::string> symbols;
  int32_t slotsSymbol = -1;
  int32_t capacitySymbol = -1;
  size_t numWeights = 0;
  std::vector<state::StateSpec> states;
  std::vector<KernelSpec> kernels;
  std::vector<EntryPlan> entries;
  std::vector<std::pair<std::string, std::string>> metadata;
  /// Number of ids in the vocabulary; 0 when the metadata does not say.
  int64_t vocabulary = 0;

  const std::string *findMetadata(const std::string &key) const {
    for (const auto &[name, value] : metadata)
      if (name == key)
        return &value;
    return nullptr;
  }
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_PLAN_H
