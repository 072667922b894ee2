// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index sections written by hand around the kernels of Kernels.c.

#include "test/runtime/run/TestArtefact.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/format/ArtefactWriter.h"
#include "runtime/format/Artefact_generated.h"
#include "runtime/format/SafetensorsWriter.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace k3;
using namespace k3::test;
namespace fb = k3::artefact;

namespace {

enum Symbol : int32_t { T, N, N1, P, C, numSymbols };

std::unique_ptr<fb::TensorT> tensor(const std::string &name, fb::DType dtype,
                                    std::vector<fb::Dim> dims) {
  auto result = std::make_unique<fb::TensorT>();
  result->name = name;
  result->dtype = dtype;
  result->dims = std::move(dims);
  return result;
}

fb::Dim dynamic(Symbol symbol) { return fb::Dim(symbol, 0); }
fb::Dim constant(int64_t size) { return fb::Dim(-1, size); }

void addInput(fb::EntryT &entry, std::unique_ptr<fb::TensorT> spec,
              fb::Role role = fb::Role::Plain) {
  auto argument = std::make_unique<fb::ArgumentT>();
  argument->tensor = std::move(spec);
  argument->role = role;
  entry.inputs.push_back(std::move(argument));
}

void addSequenceInputs(fb::EntryT &entry) {
  using fb::DType;
  using fb::Role;
  addInput(entry, tensor("cu_seqlens", DType::I32, {dynamic(N1)}),
           Role::CuSeqlens);
  addInput(entry, tensor("slots", DType::I32, {dynamic(N)}), Role::Slots);
  addInput(entry, tensor("context_lens", DType::I32, {dynamic(N)}),
           Role::ContextLens);
}

/// Adds the kernel to the index unless it is there, and launches it.
void launch(fb::IndexT &index, fb::EntryT &entry, const std::string &kernel,
            std::vector<fb::Buffer> buffers, std::vector<int32_t> dims,
            int32_t gridSymbol, int64_t tile = 1) {
  size_t at = 0;
  while (at < index.kernels.size() && index.kernels[at]->symbol != kernel)
    ++at;
  if (at == index.kernels.size()) {
    index.kernels.push_back(std::make_unique<fb::KernelT>());
    index.kernels[at]->symbol = kernel;
    index.kernels[at]->scratch = 64;
  }
  auto command = std::make_unique<fb::CommandT>();
  command->kind = fb::CommandKind::Launch;
  command->kernel = int32_t(at);
  command->buffers = std::move(buffers);
  command->dims = std::move(dims);
  command->grid_symbol = gridSymbol;
  command->grid_tile = tile;
  command->label = kernel;
  entry.commands.push_back(std::move(command));
}

fb::Buffer input(int32_t i) { return {fb::Place::Input, i, 0}; }
fb::Buffer output(int32_t i) { return {fb::Place::Output, i, 0}; }
fb::Buffer weight(int32_t i) { return {fb::Place::Weight, i, 0}; }
fb::Buffer slotState(int32_t i) { return {fb::Place::State, i, 0}; }
fb::Buffer arena(int32_t i) { return {fb::Place::Arena, i, 0}; }

std::unique_ptr<fb::EntryT> languageEntry(fb::IndexT &index,
                                          const std::string &name,
                                          const std::string &embed) {
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = name;
  addInput(*entry, tensor("tokens", fb::DType::I32, {dynamic(T)}),
           fb::Role::Tokens);
  addSequenceInputs(*entry);
  bool last = name == "prefill";
  entry->outputs.push_back(tensor("logits", fb::DType::F32,
                                  {dynamic(last ? N : T), constant(width)}));
  entry->arena = {fb::Extent(T, width * 4, 0), fb::Extent(T, width * 4, 0)};
  launch(index, *entry, embed, {input(0), weight(0), arena(0)}, {T}, T, 8);
  launch(index, *entry, "running_sum",
         {arena(0), input(1), input(2), input(3), slotState(0),
          last ? arena(1) : output(0)},
         {N}, N);
  launch(index, *entry, "append_rows",
         {arena(0), input(1), input(2), input(3), slotState(1)}, {C}, N);
  if (last)
    launch(index, *entry, "read_out",
           {arena(1), input(1), input(2), input(3), slotState(1), output(0)},
           {C}, N);
  return entry;
}

std::unique_ptr<fb::EntryT> waitEntry(fb::IndexT &index) {
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "wait";
  addInput(*entry, tensor("flag", fb::DType::I32, {constant(1)}));
  entry->outputs.push_back(tensor("done", fb::DType::F32, {constant(1)}));
  launch(index, *entry, "wait_for", {input(0)}, {}, -1);
  launch(index, *entry, "count_up", {output(0)}, {}, -1);
  return entry;
}

void addState(fb::IndexT &index, const std::string &name,
              std::vector<int64_t> shape) {
  auto state = std::make_unique<fb::StateT>();
  state->name = name;
  state->dtype = fb::DType::F32;
  state->shape = std::move(shape);
  index.states.push_back(std::move(state));
}

void addMetadata(fb::IndexT &index, const std::string &key,
                 const std::string &value) {
  auto pair = std::make_unique<fb::PairT>();
  pair->key = key;
  pair->value = value;
  index.metadata.push_back(std::move(pair));
}

fb::IndexT makeIndex(const ArtefactChange &change) {
  fb::IndexT index;
  index.producer = "test";
  index.source_sha256 = change.sourceSha256;
  index.precision = "f32";
  index.symbols = {"T", "N", "N1", "P", "C"};
  auto code = std::make_unique<fb::CodeObjectT>();
  code->target = code->section = change.codeTarget;
  code->features = change.features;
  index.code.push_back(std::move(code));
  return index;
}

std::string kernelBytes() {
  std::ifstream file(K3_TEST_KERNELS, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<fb::EntryT> addEntry(fb::IndexT &index) {
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "add";
  for (const char *name : {"x", "y"})
    addInput(*entry,
             tensor(name, fb::DType::F32, {dynamic(T), constant(width)}));
  entry->outputs.push_back(
      tensor("sum", fb::DType::F32, {dynamic(T), constant(width)}));
  launch(index, *entry, "add_rows", {input(0), input(1), output(0)}, {T}, T);
  return entry;
}

std::unique_ptr<fb::EntryT> scanEntry(fb::IndexT &index) {
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "scan";
  addInput(*entry, tensor("x", fb::DType::F32, {dynamic(T), constant(width)}));
  addSequenceInputs(*entry);
  addInput(*entry,
           tensor("state", fb::DType::F32, {dynamic(P), constant(width)}));
  entry->outputs.push_back(
      tensor("out", fb::DType::F32, {dynamic(T), constant(width)}));
  entry->outputs.push_back(
      tensor("new_state", fb::DType::F32, {dynamic(P), constant(width)}));
  entry->updates = {fb::Update(1, 4)};
  launch(index, *entry, "running_sum",
         {input(0), input(1), input(2), input(3), output(1), output(0)}, {N},
         N);
  return entry;
}

std::unique_ptr<fb::EntryT> countEntry(fb::IndexT &index) {
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "count";
  entry->outputs.push_back(tensor("total", fb::DType::F32, {constant(1)}));
  entry->arena = {fb::Extent(-1, 0, 4)};
  auto fill = std::make_unique<fb::CommandT>();
  fill->kind = fb::CommandKind::Fill;
  fill->buffers = {arena(0)};
  fill->bytes = std::make_unique<fb::Extent>(-1, 0, 4);
  entry->commands.push_back(std::move(fill));
  for (int i = 0; i < 10; ++i)
    launch(index, *entry, "count_up", {arena(0)}, {}, -1);
  auto copy = std::make_unique<fb::CommandT>();
  copy->kind = fb::CommandKind::Copy;
  copy->buffers = {arena(0), output(0)};
  copy->bytes = std::make_unique<fb::Extent>(-1, 0, 4);
  entry->commands.push_back(std::move(copy));
  return entry;
}

void write(const fb::IndexT &index, const std::string &path) {
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishIndexBuffer(builder, fb::Index::Pack(builder, &index));
  std::string code = kernelBytes(), bytes;
  std::string_view packed(
      reinterpret_cast<const char *>(builder.GetBufferPointer()),
      builder.GetSize());
  std::vector<SectionBytes> sections = {{"index", packed},
                                        {index.code[0]->section, code}};
  ASSERT_TRUE(makeArtefact(sections, bytes).ok());
  Status status = writeFile(path, bytes);
  ASSERT_TRUE(status.ok()) << status.render();
}

} // namespace

TempFolder::TempFolder()
    : path([] {
        std::string name =
            (std::filesystem::temp_directory_path() / "k3-test-XXXXXX")
                .string();
        return std::string(mkdtemp(name.data()));
      }()) {}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

void k3::test::writeLanguageModel(const std::string &path,
                                  const ArtefactChange &change) {
  fb::IndexT index = makeIndex(change);
  index.slots_symbol = P;
  index.capacity_symbol = C;
  addState(index, "sum", {width});
  addState(index, "rows", {-1, width});
  addMetadata(index, "vocab_size", std::to_string(vocabulary));
  auto table = std::make_unique<fb::WeightT>();
  table->name = "embed";
  table->source = "embed.weight";
  table->dtype = table->source_dtype = fb::DType::F32;
  table->shape = table->source_shape = {vocabulary, width};
  table->bytes = vocabulary * width * sizeof(float);
  index.weights.push_back(std::move(table));
  std::string embed =
      change.missingKernel.empty() ? "embed" : change.missingKernel;
  index.entries.push_back(languageEntry(index, "prefill", embed));
  index.entries.push_back(languageEntry(index, "score", embed));
  index.entries.push_back(waitEntry(index));
  write(index, path);
}

void k3::test::writeOperations(const std::string &path) {
  fb::IndexT index = makeIndex({});
  index.entries.push_back(addEntry(index));
  index.entries.push_back(scanEntry(index));
  index.entries.push_back(countEntry(index));
  write(index, path);
}

void k3::test::writeWeights(const std::string &folder, float first) {
  std::vector<float> table;
  for (int64_t v = 0; v < vocabulary; ++v)
    for (int64_t i = 0; i < width; ++i)
      table.push_back(float(v) + (i ? 0.5f * float(i) : first));
  std::span<const uint8_t> bytes(reinterpret_cast<uint8_t *>(table.data()),
                                 table.size() * sizeof(float));
  TensorBytes tensor = {"embed.weight", "F32", {vocabulary, width}, bytes};
  ASSERT_TRUE(
      writeSafetensors(folder + "/model.safetensors", {&tensor, 1}, {}).ok());
}

k3_tensor k3::test::ints(const char *name, std::vector<int32_t> &values) {
  return {name,
          K3_I32,
          1,
          {int64_t(values.size())},
          values.data(),
          values.size() * sizeof(int32_t),
          K3_HOST};
}

k3_tensor k3::test::floats(const char *name, std::vector<float> &values,
                           std::vector<int64_t> shape) {
  k3_tensor tensor = {name,   K3_F32,        int32_t(shape.size()),
                      {},     values.data(), values.size() * sizeof(float),
                      K3_HOST};
  std::copy(shape.begin(), shape.end(), tensor.shape);
  return tensor;
}

Runtime::Runtime(const std::string &artefact, const std::string &weights,
                 k3rt_session_options options) {
  k3rt_model_options wanted = {};
  wanted.struct_size = sizeof(wanted);
  if (!weights.empty())
    wanted.weights_dir = weights.c_str();
  if (!options.struct_size)
    options.struct_size = sizeof(options);
  check(k3rt_model_load(artefact.c_str(), &wanted, &model));
  check(k3rt_session_create(model, &options, &session));
}

Runtime::~Runtime() {
  k3rt_session_destroy(session);
  k3rt_model_destroy(model);
}

int32_t Runtime::newSlot() {
  int32_t slot = -1;
  EXPECT_EQ(k3rt_slot_create(session, &slot), K3_OK) << k3rt_last_error();
  return slot;
}

int64_t Runtime::length(int32_t slot) {
  int64_t tokens = -1;
  EXPECT_EQ(k3rt_slot_length(session, slot, &tokens), K3_OK)
      << k3rt_last_error();
  return tokens;
}

k3_code Runtime::run(const char *entry, std::vector<int32_t> tokens,
                     std::vector<int32_t> cuSeqlens, std::vector<int32_t> slots,
                     std::vector<float> &logits) {
  int64_t rows = entry == std::string("prefill") ? slots.size() : tokens.size();
  logits.assign(rows * width, NAN);
  k3_tensor inputs[] = {ints("tokens", tokens), ints("cu_seqlens", cuSeqlens),
                        ints("slots", slots)};
  k3_tensor output = floats("logits", logits, {rows, width});
  return k3rt_run(session, entry, inputs, 3, &output, 1);
}

std::vector<float> Runtime::logits(const char *entry,
                                   std::vector<int32_t> tokens,
                                   std::vector<int32_t> cuSeqlens,
                                   std::vector<int32_t> slots) {
  std::vector<float> result;
  EXPECT_EQ(run(entry, tokens, cuSeqlens, slots, result), K3_OK)
      << k3rt_last_error();
  return result;
}
