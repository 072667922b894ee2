// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of the index: one fault a test (A8 to A11 of the fault
// catalogue), in files whose digests are right.

#include "runtime/format/ArtefactReader.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/format/SmallArtefact.h"

#include <cstring>
#include <sys/resource.h>

using namespace k3;
using namespace k3::test;
namespace fb = k3::artefact;

namespace {

/// Reads the small artefact after `change`.
template <class Change> Status readWith(Change change) {
  fb::IndexT index = smallIndex();
  change(index);
  return read(smallArtefact(index));
}

template <class Change> void refuse(const std::string &part, Change change) {
  SCOPED_TRACE(part);
  expectError(readWith(change), 312, part);
}

} // namespace

TEST(ArtefactIndex, SmallIndexIsAccepted) {
  Status status = readWith([](fb::IndexT &) {});
  EXPECT_TRUE(status.ok()) << status.render();
}

TEST(ArtefactIndex, SectionIsMissingOrNotAnIndex) {
  expectError(read(artefactAround("")), 311, "there is no section 'index'");
  expectError(read(artefactAround("not a flatbuffer at all")), 311,
              "is not a well-formed k3 index");
}

// Every 32-bit field in turn becomes huge; nothing is allocated for it.
TEST(ArtefactIndex, HugeCountsAllocateNothing) {
  std::string index = bytesOf(smallIndex());
  for (size_t at = 0; at + 4 <= index.size(); at += 4)
    for (uint32_t value : {0xffffffffu, 0x7fffffffu, 0x10000000u}) {
      std::string changed = index;
      std::memcpy(changed.data() + at, &value, sizeof(value));
      (void)read(artefactAround(changed));
    }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 512 * 1024) << "KiB";
}

TEST(ArtefactIndex, NamesAreText) {
  refuse("kernel 0: name is not UTF-8",
         [](fb::IndexT &i) { i.kernels[0]->symbol = "a\xff"; });
  refuse("kernel 0: name holds a zero byte",
         [](fb::IndexT &i) { i.kernels[0]->symbol = std::string("a\0b", 3); });
  refuse("kernel 0: name is empty",
         [](fb::IndexT &i) { i.kernels[0]->symbol = ""; });
  refuse("weight 0: name is not UTF-8",
         [](fb::IndexT &i) { i.weights[0]->name = "\xed\xa0\x80"; });
  refuse("'model_type' is not UTF-8",
         [](fb::IndexT &i) { i.metadata[0]->value = "\xc0\x80"; });
  refuse("kernel 0: name has 2000000 bytes",
         [](fb::IndexT &i) { i.kernels[0]->symbol.assign(2000000, 'x'); });
  refuse("producer is empty", [](fb::IndexT &i) { i.producer = ""; });
  refuse("input 0: name is not UTF-8",
         [](fb::IndexT &i) { i.entries[0]->inputs[0]->tensor->name = "\x80"; });
  refuse("command 0: label is not UTF-8",
         [](fb::IndexT &i) { i.entries[0]->commands[0]->label = "\xfe"; });
}

TEST(ArtefactIndex, NamesAreUnique) {
  refuse("kernel 'linear_0' appears twice", [](fb::IndexT &i) {
    i.kernels.push_back(std::make_unique<fb::KernelT>(*i.kernels[0]));
  });
  refuse("weight 'norm' appears twice",
         [](fb::IndexT &i) { i.weights[1]->name = "norm"; });
  refuse("symbol 'T' appears twice", [](fb::IndexT &i) { i.symbols[2] = "T"; });
  refuse("state 'cache' appears twice", [](fb::IndexT &i) {
    i.states.push_back(std::make_unique<fb::StateT>(*i.states[0]));
  });
  refuse("name 'tokens' appears twice", [](fb::IndexT &i) {
    i.entries[0]->inputs[1]->tensor->name = "tokens";
  });
  refuse("metadata 'model_type' appears twice", [](fb::IndexT &i) {
    i.metadata.push_back(std::make_unique<fb::PairT>(*i.metadata[0]));
  });
  refuse("code object 'x86-64-v3' appears twice", [](fb::IndexT &i) {
    i.code.push_back(std::make_unique<fb::CodeObjectT>(*i.code[0]));
  });
}

TEST(ArtefactIndex, LaunchGeometry) {
  refuse("kernel 'linear_0': grid tile is 0 (wanted at least 1)",
         [](fb::IndexT &i) { i.entries[0]->commands[0]->grid_tile = 0; });
  refuse("kernel 'linear_0': grid tile is -4",
         [](fb::IndexT &i) { i.entries[0]->commands[0]->grid_tile = -4; });
  refuse("grid multiplier is 0 (wanted 1 to 2^31)",
         [](fb::IndexT &i) { i.entries[0]->commands[0]->grid_multiplier = 0; });
  refuse("grid multiplier is 4294967296", [](fb::IndexT &i) {
    i.entries[0]->commands[0]->grid_multiplier = int64_t(1) << 32;
  });
  refuse("grid uses symbol 3 of 3",
         [](fb::IndexT &i) { i.entries[0]->commands[0]->grid_symbol = 3; });
  refuse("kernel 'linear_0' needs 1099511627776 bytes of scratch",
         [](fb::IndexT &i) { i.kernels[0]->scratch = uint64_t(1) << 40; });
}

TEST(ArtefactIndex, ReferencesOfCommands) {
  auto first = [](fb::IndexT &i) -> fb::CommandT & {
    return *i.entries[0]->commands[0];
  };
  refuse("entry 'score': command 0: kernel 1 of 1 does not exist",
         [&](fb::IndexT &i) { first(i).kernel = 1; });
  refuse("kernel -1 of 1", [&](fb::IndexT &i) { first(i).kernel = -1; });
  for (auto place : {fb::Place::Input, fb::Place::Output, fb::Place::Weight,
                     fb::Place::State, fb::Place::Arena, fb::Place(200)})
    for (int number : {-1, 3, 1000000})
      refuse("buffer 0 is number " + std::to_string(number) + " of place " +
                 std::to_string(int(place)) + ", which does not exist",
             [&](fb::IndexT &i) {
               first(i).buffers[0] = fb::Buffer(place, number, 0);
             });
  refuse("buffer 0 has the offset -1", [&](fb::IndexT &i) {
    first(i).buffers[0] = fb::Buffer(fb::Place::Input, 0, -1);
  });
  refuse("dimension 0 is symbol 3 of 3",
         [&](fb::IndexT &i) { first(i).dims = {3}; });
  refuse("kind 9 is unknown",
         [&](fb::IndexT &i) { first(i).kind = fb::CommandKind(9); });
}

TEST(ArtefactIndex, CopiesAndFills) {
  refuse("command 1: copy has 1 buffers (wanted 2)",
         [](fb::IndexT &i) { i.entries[0]->commands[1]->buffers.pop_back(); });
  refuse("command 2: fill has 0 buffers (wanted 1)",
         [](fb::IndexT &i) { i.entries[0]->commands[2]->buffers.clear(); });
  refuse("fill has no size",
         [](fb::IndexT &i) { i.entries[0]->commands[2]->bytes.reset(); });
  refuse("copy has a negative size", [](fb::IndexT &i) {
    *i.entries[0]->commands[1]->bytes = fb::Extent(-1, 0, -1);
  });
}

TEST(ArtefactIndex, ReferencesOfEntries) {
  refuse("symbol 3 of 3 does not exist",
         [](fb::IndexT &i) { i.slots_symbol = 3; });
  refuse("symbol -2 of 3", [](fb::IndexT &i) { i.capacity_symbol = -2; });
  refuse("input 1 uses symbol 7 of 3", [](fb::IndexT &i) {
    i.entries[0]->inputs[1]->tensor->dims[0] = fb::Dim(7, 0);
  });
  refuse("output 0 has a dimension of -4", [](fb::IndexT &i) {
    i.entries[0]->outputs[0]->dims[1] = fb::Dim(-1, -4);
  });
  refuse("workspace block 0 has a negative size",
         [](fb::IndexT &i) { i.entries[0]->arena[0] = fb::Extent(0, -1, 0); });
  refuse("workspace block 1 uses symbol 5",
         [](fb::IndexT &i) { i.entries[0]->arena[1] = fb::Extent(5, 1, 0); });
  refuse("update 0 names output 1 and input 1",
         [](fb::IndexT &i) { i.entries[0]->updates[0] = fb::Update(1, 1); });
  refuse("input 1 has the role of another input", [](fb::IndexT &i) {
    i.entries[0]->inputs[1]->role = fb::Role::Tokens;
  });
  refuse("input 1 has the unknown role 77",
         [](fb::IndexT &i) { i.entries[0]->inputs[1]->role = fb::Role(77); });
  refuse("input 0 has the unknown element type 99", [](fb::IndexT &i) {
    i.entries[0]->inputs[0]->tensor->dtype = fb::DType(99);
  });
  refuse("input 0 has rank 9 (at most 8)", [](fb::IndexT &i) {
    i.entries[0]->inputs[0]->tensor->dims.assign(9, fb::Dim(-1, 1));
  });
}

TEST(ArtefactIndex, Weights) {
  auto weight = [](fb::IndexT &i, size_t n) -> fb::WeightT & {
    return *i.weights[n];
  };
  refuse("weight 'norm' has 15 bytes (wanted 16)",
         [&](fb::IndexT &i) { weight(i, 0).bytes = 15; });
  refuse("weight 'norm' has the unknown element type 7",
         [&](fb::IndexT &i) { weight(i, 0).source_dtype = fb::DType(7); });
  refuse("weight 'norm' has the unknown packing 5",
         [&](fb::IndexT &i) { weight(i, 0).packing = fb::Packing(5); });
  refuse("its packing does not fit its type",
         [&](fb::IndexT &i) { weight(i, 0).packing = fb::Packing::Panels; });
  refuse("its packing does not fit its type",
         [&](fb::IndexT &i) { weight(i, 1).packing = fb::Packing::Panels; });
  refuse("has a dimension of -4",
         [&](fb::IndexT &i) { weight(i, 0).shape = {-4}; });
  refuse("has rank 9 (at most 8)",
         [&](fb::IndexT &i) { weight(i, 0).shape.assign(9, 1); });
  refuse("its shape overflows", [&](fb::IndexT &i) {
    weight(i, 0).shape = {int64_t(1) << 40, int64_t(1) << 40};
  });
  refuse("has 4 elements, its source 5",
         [&](fb::IndexT &i) { weight(i, 0).source_shape = {5}; });
  refuse("is a stack of -1 tensors",
         [&](fb::IndexT &i) { weight(i, 0).stack = -1; });
  refuse("is a stack of 1099511627776 tensors",
         [&](fb::IndexT &i) { weight(i, 0).stack = int64_t(1) << 40; });
  refuse("its source does not fit a stack of 2",
         [&](fb::IndexT &i) { weight(i, 2).source = "experts.packed"; });
  refuse("its source does not fit a stack of 0",
         [&](fb::IndexT &i) { weight(i, 0).source = "x.{}"; });
  refuse("its shape does not fit a stack of 2",
         [&](fb::IndexT &i) { weight(i, 2).shape = {1, 32, 5}; });
}

TEST(ArtefactIndex, PrefixTakesLeadingElements) {
  auto take = [](int64_t source) {
    return readWith([=](fb::IndexT &i) {
      i.weights[0]->prefix = true;
      i.weights[0]->source_shape = {1, 1, source};
    });
  };
  EXPECT_TRUE(take(4).ok());
  EXPECT_TRUE(take(128).ok());
  expectError(take(3), 312, "has 4 elements, its source 3");
}

TEST(ArtefactIndex, StatesAndCode) {
  refuse("state 'cache' has a dimension of -1",
         [](fb::IndexT &i) { i.states[0]->shape = {4, -1}; });
  refuse("state 'cache' has rank 8",
         [](fb::IndexT &i) { i.states[0]->shape.assign(8, 1); });
  refuse("state 'cache' has the unknown element type 100",
         [](fb::IndexT &i) { i.states[0]->dtype = fb::DType(100); });
  refuse("code for 'x86-64-v3' is in section 'none', which does not exist",
         [](fb::IndexT &i) { i.code[0]->section = "none"; });
  refuse("a feature is not UTF-8",
         [](fb::IndexT &i) { i.code[0]->features[1] = "\xff"; });
}

// One long list that many commands share makes a small file much work.
TEST(ArtefactIndex, WorkIsBounded) {
  flatbuffers::FlatBufferBuilder builder;
  auto dims = builder.CreateVector(std::vector<int32_t>(100000, 0));
  auto symbols = builder.CreateVectorOfStrings({"T"});
  fb::CommandBuilder command(builder);
  command.add_dims(dims);
  command.add_kind(fb::CommandKind::Launch);
  command.add_kernel(0);
  auto shared = command.Finish();
  std::vector<flatbuffers::Offset<fb::Command>> many(100000, shared);
  auto commands = builder.CreateVector(many);
  auto name = builder.CreateString("x");
  fb::EntryBuilder entry(builder);
  entry.add_name(name);
  entry.add_commands(commands);
  auto entries = builder.CreateVector(std::vector{entry.Finish()});
  fb::KernelBuilder kernel(builder);
  kernel.add_symbol(name);
  auto kernels = builder.CreateVector(std::vector{kernel.Finish()});
  fb::IndexBuilder index(builder);
  index.add_producer(name);
  index.add_source_sha256(name);
  index.add_symbols(symbols);
  index.add_kernels(kernels);
  index.add_entries(entries);
  fb::FinishIndexBuffer(builder, index.Finish());
  expectError(read(artefactAround(
                  {reinterpret_cast<const char *>(builder.GetBufferPointer()),
                   builder.GetSize()})),
              312, "takes too much work to check");
}
