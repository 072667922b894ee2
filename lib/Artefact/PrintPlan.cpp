// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan as text, a line a thing.

#include "k3/Artefact/Plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace k3;
using namespace k3::plan;

namespace {

const char *nameOf(DType dtype) {
  constexpr const char *names[] = {"f32", "bf16", "f16", "f64",
                                   "i32", "i64",  "u8"};
  return names[unsigned(dtype)];
}

const char *nameOf(Place place) {
  constexpr const char *names[] = {"input", "output", "weight", "state",
                                   "arena"};
  return names[unsigned(place)];
}

const char *nameOf(Role role) {
  constexpr const char *names[] = {"", " tokens", " cu_seqlens", " slots",
                                   " context_lens"};
  return names[unsigned(role)];
}

class Printer {
public:
  Printer(const Artefact &artefact, llvm::raw_ostream &os)
      : artefact(artefact), os(os) {}

  void run() {
    os << "precision " << artefact.precision << "\n";
    os << "symbols " << llvm::join(artefact.symbols, ", ");
    if (artefact.slotsSymbol >= 0)
      os << "; slots = " << symbol(artefact.slotsSymbol);
    if (artefact.capacitySymbol >= 0)
      os << "; capacity = " << symbol(artefact.capacitySymbol);
    os << "\n";
    for (const auto &[key, value] : artefact.metadata)
      os << "metadata " << key << " = " << value << "\n";
    for (const Weight &weight : artefact.weights)
      print(weight);
    for (const State &state : artefact.states)
      os << "state " << state.name << " " << sizes(state.shape)
         << nameOf(state.dtype) << "\n";
    for (const Kernel &kernel : artefact.kernels)
      os << "kernel " << kernel.symbol << " scratch " << kernel.scratch << ": "
         << kernel.source << "\n";
    for (const Entry &entry : artefact.entries)
      print(entry);
    for (const plan::Code &code : artefact.code)
      for (const GpuKernel &kernel : code.gpuKernels)
        print(code, kernel);
  }

private:
  llvm::StringRef symbol(int number) const { return artefact.symbols[number]; }

  static std::string sizes(llvm::ArrayRef<int64_t> shape) {
    std::string text;
    for (int64_t size : shape)
      text += (size < 0 ? "?" : std::to_string(size)) + "x";
    return text;
  }

  void print(const Weight &weight) {
    constexpr const char *packings[] = {"", " pair_panels", " panels",
                                        " nibble_panels", " scale_panels"};
    os << "weight " << weight.name << " " << sizes(weight.shape)
       << nameOf(weight.dtype) << packings[weight.packing] << " "
       << weight.bytes << " bytes from " << weight.source << " "
       << sizes(weight.sourceShape) << nameOf(weight.sourceDtype);
    if (weight.stack)
      os << " stack " << weight.stack;
    if (weight.prefix)
      os << " prefix";
    os << "\n";
  }

  void print(const Tensor &tensor) {
    os << tensor.name << " ";
    for (const Dim &dim : tensor.dims) {
      if (dim.symbol >= 0)
        os << symbol(dim.symbol) << "x";
      else
        os << dim.size << "x";
    }
    os << nameOf(tensor.dtype);
  }

  void print(const Extent &extent) {
    if (extent.symbol >= 0)
      os << extent.scale << " * " << symbol(extent.symbol) << " + ";
    os << extent.bytes;
  }

  void print(const Command &command) {
    constexpr const char *kinds[] = {"launch", "copy", "fill"};
    os << "  " << kinds[unsigned(command.kind)];
    if (command.kernel >= 0)
      os << " " << artefact.kernels[command.kernel].symbol;
    os << "(";
    llvm::interleaveComma(command.buffers, os, [&](const Buffer &buffer) {
      os << nameOf(buffer.place) << " " << buffer.index;
    });
    os << ")";
    if (command.kind != CommandKind::Launch) {
      os << " bytes ";
      print(command.bytes);
    } else {
      os << " dims(";
      llvm::interleaveComma(command.dims, os,
                            [&](int dim) { os << symbol(dim); });
      os << ") grid ";
      if (command.gridSymbol >= 0)
        os << symbol(command.gridSymbol) << " / " << command.gridTile << " * ";
      os << command.gridMultiplier;
    }
    os << (command.label.empty() ? "" : " # ") << command.label << "\n";
  }

  void print(const plan::Code &code, const GpuKernel &kernel) {
    os << code.target << " " << artefact.kernels[kernel.kernel].symbol
       << " entry " << kernel.entry << " threads " << kernel.threads
       << " shared " << kernel.shared << " cluster " << kernel.cluster
       << " workgroups " << kernel.workgroupsPerBlock << " scratch "
       << kernel.scratch;
    if (kernel.grid)
      os << " grid " << kernel.grid->dim << " / " << kernel.grid->tile << " * "
         << kernel.grid->multiplier;
    os << "\n";
  }

  void print(const Entry &entry) {
    os << "entry " << entry.name << "\n";
    for (const Argument &input : entry.inputs) {
      os << "  input ";
      print(input.tensor);
      os << nameOf(input.role) << "\n";
    }
    for (const Tensor &output : entry.outputs) {
      os << "  output ";
      print(output);
      os << "\n";
    }
    for (const Update &update : entry.updates)
      os << "  output " << update.output << " updates input " << update.input
         << "\n";
    for (const Extent &extent : entry.arena) {
      os << "  block ";
      print(extent);
      os << "\n";
    }
    for (const Command &command : entry.commands)
      print(command);
  }

  const Artefact &artefact;
  llvm::raw_ostream &os;
};

} // namespace

void k3::printPlan(const Artefact &artefact, llvm::raw_ostream &os) {
  Printer(artefact, os).run();
}
