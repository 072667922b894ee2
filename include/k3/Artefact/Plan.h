// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an artefact says besides its code: weights, states, kernels, and a list
// of commands for every entry point. Field by field as in
// runtime/format/Artefact.fbs.

#ifndef K3_ARTEFACT_PLAN_H
#define K3_ARTEFACT_PLAN_H

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"
#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace k3::plan {

// Numbered as in Artefact.fbs.
enum class DType : uint8_t { F32, BF16, F16, F64, I32, I64, U8 };
enum class Place : uint8_t { Input, Output, Weight, State, Arena };
enum class CommandKind : uint8_t { Launch, Copy, Fill };
enum class Role : uint8_t { Plain, Tokens, CuSeqlens, Slots, ContextLens };

struct Dim {
  int symbol = -1; ///< the dimension is a number when negative
  int64_t size = 0;
};

struct Tensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<Dim> dims;
};

struct Argument {
  Tensor tensor;
  Role role = Role::Plain;
};

/// scale * symbol + bytes.
struct Extent {
  int symbol = -1;
  int64_t scale = 0, bytes = 0;
};

struct Buffer {
  Place place = Place::Arena;
  int index = 0;
};

struct Command {
  CommandKind kind = CommandKind::Launch;
  int kernel = -1;
  std::vector<Buffer> buffers;
  std::vector<int> dims;
  int gridSymbol = -1;
  int64_t gridTile = 1, gridMultiplier = 1;
  Extent bytes;
  std::string label;
};

/// An output that starts as a copy of an input.
struct Update {
  int output = 0, input = 0;
};

struct Entry {
  std::string name;
  std::vector<Argument> inputs;
  std::vector<Tensor> outputs;
  std::vector<Extent> arena;
  std::vector<Command> commands;
  std::vector<Update> updates;
};

struct Weight {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  uint8_t packing = 0;
  uint64_t bytes = 0;
  std::string source;
  DType sourceDtype = DType::F32;
  std::vector<int64_t> sourceShape;
  int64_t stack = 0;
  bool prefix = false;
};

struct State {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
};

struct Kernel {
  std::string symbol;
  uint64_t scratch = 0;
  std::string source;
};

enum class GpuFormat : uint8_t { Cubin, Ptx };

struct GpuImage {
  GpuFormat format = GpuFormat::Cubin;
  uint64_t offset = 0, bytes = 0;
};

struct GpuGrid {
  int dim = -1; ///< counts the dims of the command; -1: one tile
  int64_t tile = 1, multiplier = 1;
};

struct GpuKernel {
  int kernel = -1;
  std::string entry;
  int cubin = -1, ptx = -1; ///< images; -1: none
  unsigned threads = 0, shared = 0, cluster = 1, workgroupsPerBlock = 1;
  uint64_t scratch = 0;
  std::optional<GpuGrid> grid; ///< none: the grid of the command
};

struct Code {
  std::string target;
  std::vector<std::string> features;
  // Of a GPU target only; `addGpuCode` fills them.
  unsigned driver = 0;
  std::vector<GpuImage> images;
  std::vector<GpuKernel> gpuKernels;
};

struct Artefact {
  std::string sourceSha256; ///< of the printed input module, in hex
  std::string precision;    ///< "f32" or "bf16"
  std::vector<std::string> symbols;
  int slotsSymbol = -1, capacitySymbol = -1;
  std::vector<Weight> weights;
  std::vector<State> states;
  std::vector<Kernel> kernels;
  std::vector<Entry> entries;
  std::vector<Code> code;
  std::vector<std::pair<std::string, std::string>> metadata;
};

} // namespace k3::plan

namespace k3 {

/// Plans a module whose entry points hold launches, access to weights and
/// states, and a return. `kernels` are its kernel functions as lowered, in the
/// order of the module. What does not fit is a diagnostic. `code` and
/// `sourceSha256` are left to the caller.
mlir::FailureOr<plan::Artefact>
planArtefact(mlir::ModuleOp module, llvm::ArrayRef<LoweredKernel> kernels);

/// One list for all CPU levels: they must agree on everything but scratch,
/// where the largest is taken.
Status mergeLevels(llvm::ArrayRef<std::vector<LoweredKernel>> levels,
                   std::vector<LoweredKernel> &merged);

/// The plan as text, for people and tests.
void printPlan(const plan::Artefact &artefact, llvm::raw_ostream &os);

/// The bytes of the index section.
Status writeIndex(const plan::Artefact &artefact, std::string &bytes);

} // namespace k3

#endif // K3_ARTEFACT_PLAN_H
