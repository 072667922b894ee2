// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan as a FlatBuffer. Strings are checked here, since readers refuse
// what is not UTF-8.

#include "k3/Artefact/Plan.h"
#include "runtime/format/Artefact_generated.h"

#include "llvm/Support/ConvertUTF.h"

using namespace k3;

namespace {

template <typename T>
using Vector = flatbuffers::Offset<flatbuffers::Vector<T>>;
using String = flatbuffers::Offset<flatbuffers::String>;
template <typename T> using Tables = std::vector<flatbuffers::Offset<T>>;

class IndexWriter {
public:
  Status run(const plan::Artefact &artefact, std::string &bytes);

private:
  String text(const std::string &value) {
    const char *begin = value.data();
    const auto *first = reinterpret_cast<const llvm::UTF8 *>(begin);
    bool legal = llvm::isLegalUTF8String(&first, first + value.size()) &&
                 value.find('\0') == std::string::npos;
    if (!legal && problem.ok())
      problem = Status::error(Code::BadInput, 541,
                              "a name of the module is not UTF-8 text");
    return builder.CreateSharedString(value);
  }

  artefact::Extent extent(const plan::Extent &e) {
    return {e.symbol, e.scale, e.bytes};
  }

  flatbuffers::Offset<artefact::Tensor> tensor(const plan::Tensor &t) {
    std::vector<artefact::Dim> dims;
    for (const plan::Dim &dim : t.dims)
      dims.push_back({dim.symbol, dim.size});
    String name = text(t.name);
    auto list = builder.CreateVectorOfStructs(dims);
    return artefact::CreateTensor(builder, name, artefact::DType(t.dtype),
                                  list);
  }

  flatbuffers::Offset<artefact::Weight> weight(const plan::Weight &w) {
    String name = text(w.name), source = text(w.source);
    auto shape = builder.CreateVector(w.shape);
    auto sourceShape = builder.CreateVector(w.sourceShape);
    return artefact::CreateWeight(builder, name, artefact::DType(w.dtype),
                                  shape, artefact::Packing(w.packing), w.bytes,
                                  source, artefact::DType(w.sourceDtype),
                                  sourceShape, w.stack, w.prefix);
  }

  flatbuffers::Offset<artefact::Command> command(const plan::Command &c) {
    std::vector<artefact::Buffer> buffers;
    for (const plan::Buffer &buffer : c.buffers)
      buffers.push_back({artefact::Place(buffer.place), buffer.index, 0});
    auto bufferList = builder.CreateVectorOfStructs(buffers);
    auto dims = builder.CreateVector(c.dims);
    String label = text(c.label);
    artefact::Extent bytes = extent(c.bytes);
    return artefact::CreateCommand(builder, artefact::CommandKind(c.kind),
                                   c.kernel, bufferList, dims, c.gridSymbol,
                                   c.gridTile, c.gridMultiplier, &bytes, label);
  }

  flatbuffers::Offset<artefact::GpuKernel> gpuKernel(const plan::GpuKernel &k) {
    String entry = text(k.entry);
    std::optional<artefact::GpuGrid> grid;
    if (k.grid)
      grid.emplace(k.grid->dim, k.grid->tile, k.grid->multiplier);
    return artefact::CreateGpuKernel(
        builder, k.kernel, entry, k.cubin, k.ptx, k.threads, k.shared,
        k.cluster, k.workgroupsPerBlock, k.scratch, grid ? &*grid : nullptr);
  }

  flatbuffers::Offset<artefact::Entry> entry(const plan::Entry &e);
  Vector<flatbuffers::Offset<artefact::CodeObject>>
  code(const plan::Artefact &artefact);

  flatbuffers::FlatBufferBuilder builder;
  Status problem;
};

flatbuffers::Offset<artefact::Entry> IndexWriter::entry(const plan::Entry &e) {
  Tables<artefact::Argument> inputs;
  for (const plan::Argument &input : e.inputs)
    inputs.push_back(artefact::CreateArgument(builder, tensor(input.tensor),
                                              artefact::Role(input.role)));
  Tables<artefact::Tensor> outputs;
  for (const plan::Tensor &output : e.outputs)
    outputs.push_back(tensor(output));
  std::vector<artefact::Extent> arena;
  for (const plan::Extent &block : e.arena)
    arena.push_back(extent(block));
  Tables<artefact::Command> commands;
  for (const plan::Command &c : e.commands)
    commands.push_back(command(c));
  std::vector<artefact::Update> updates;
  for (const plan::Update &update : e.updates)
    updates.push_back({update.output, update.input});
  String name = text(e.name);
  auto inputList = builder.CreateVector(inputs);
  auto outputList = builder.CreateVector(outputs);
  auto arenaList = builder.CreateVectorOfStructs(arena);
  auto commandList = builder.CreateVector(commands);
  auto updateList = builder.CreateVectorOfStructs(updates);
  return artefact::CreateEntry(builder, name, inputList, outputList, arenaList,
                               commandList, updateList);
}

Vector<flatbuffers::Offset<artefact::CodeObject>>
IndexWriter::code(const plan::Artefact &plan) {
  Tables<artefact::CodeObject> objects;
  for (const plan::Code &code : plan.code) {
    std::vector<String> features;
    for (const std::string &feature : code.features)
      features.push_back(text(feature));
    std::vector<artefact::GpuImage> images;
    for (const plan::GpuImage &image : code.images)
      images.emplace_back(artefact::GpuFormat(image.format), image.offset,
                          image.bytes);
    Tables<artefact::GpuKernel> kernels;
    for (const plan::GpuKernel &kernel : code.gpuKernels)
      kernels.push_back(gpuKernel(kernel));
    String target = text(code.target);
    auto list = builder.CreateVector(features);
    // A CPU's code object has none of these, and so they are absent.
    auto imageList = images.empty() ? 0 : builder.CreateVectorOfStructs(images);
    auto kernelList = kernels.empty() ? 0 : builder.CreateVector(kernels);
    objects.push_back(
        artefact::CreateCodeObject(builder, target, /*section=*/target, list,
                                   code.driver, imageList, kernelList));
  }
  return builder.CreateVector(objects);
}

Status IndexWriter::run(const plan::Artefact &plan, std::string &bytes) {
  std::vector<String> symbols;
  for (const std::string &symbol : plan.symbols)
    symbols.push_back(text(symbol));
  Tables<artefact::Weight> weights;
  for (const plan::Weight &w : plan.weights)
    weights.push_back(weight(w));
  Tables<artefact::State> states;
  for (const plan::State &s : plan.states) {
    String name = text(s.name);
    auto shape = builder.CreateVector(s.shape);
    states.push_back(
        artefact::CreateState(builder, name, artefact::DType(s.dtype), shape));
  }
  Tables<artefact::Kernel> kernels;
  for (const plan::Kernel &k : plan.kernels) {
    String symbol = text(k.symbol), source = text(k.source);
    kernels.push_back(
        artefact::CreateKernel(builder, symbol, k.scratch, source));
  }
  Tables<artefact::Entry> entries;
  for (const plan::Entry &e : plan.entries)
    entries.push_back(entry(e));
  Tables<artefact::Pair> metadata;
  for (const auto &[key, value] : plan.metadata) {
    String keyText = text(key), valueText = text(value);
    metadata.push_back(artefact::CreatePair(builder, keyText, valueText));
  }
  String producer = text("k3-compile " K3_VERSION);
  String source = text(plan.sourceSha256), precision = text(plan.precision);
  auto symbolList = builder.CreateVector(symbols);
  auto weightList = builder.CreateVector(weights);
  auto stateList = builder.CreateVector(states);
  auto kernelList = builder.CreateVector(kernels);
  auto entryList = builder.CreateVector(entries);
  auto codeList = code(plan);
  auto pairList = builder.CreateVector(metadata); // sorted in the plan
  builder.Finish(artefact::CreateIndex(
                     builder, producer, source, precision, symbolList,
                     plan.slotsSymbol, plan.capacitySymbol, weightList,
                     stateList, kernelList, entryList, codeList, pairList),
                 artefact::IndexIdentifier());
  bytes.assign(reinterpret_cast<const char *>(builder.GetBufferPointer()),
               builder.GetSize());
  return std::move(problem);
}

} // namespace

Status k3::writeIndex(const plan::Artefact &artefact, std::string &bytes) {
  return IndexWriter().run(artefact, bytes);
}
