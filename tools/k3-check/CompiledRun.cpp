// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles into a temporary file and calls the runtime's C ABI.

#include "CompiledRun.h"

#include "k3rt.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/DType.h"
#include "runtime/base/Escape.h"
#include "runtime/format/ArtefactWriter.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include <cstring>

using namespace mlir;
using namespace k3;
using namespace k3::reference;

namespace {

/// A tensor in the caller's memory.
struct Argument {
  k3_tensor tensor = {};
  std::vector<uint8_t> bytes;

  void allocate() {
    size_t count = bytesOf(DType(tensor.dtype));
    for (int i = 0; i < tensor.rank; ++i)
      count *= tensor.shape[i];
    bytes.assign(std::max<size_t>(count, 1), 0);
    tensor.data = bytes.data();
    tensor.bytes = count;
  }
  template <class Stored, class From, class Convert>
  void fill(const std::vector<From> &values, Convert convert) {
    for (auto [i, value] : llvm::enumerate(values)) {
      Stored stored = convert(value);
      std::memcpy(bytes.data() + i * sizeof(Stored), &stored, sizeof(Stored));
    }
  }
  template <class Stored, class Convert> auto read(Convert convert) const {
    std::vector<decltype(convert(Stored()))> out;
    for (size_t at = 0; at < tensor.bytes; at += sizeof(Stored)) {
      Stored stored;
      std::memcpy(&stored, bytes.data() + at, sizeof(Stored));
      out.push_back(convert(stored));
    }
    return out;
  }
};

/// Owns what the runtime hands out.
struct Handles {
  k3rt_model *model = nullptr;
  k3rt_session *session = nullptr;

  ~Handles() {
    k3rt_session_destroy(session);
    k3rt_model_destroy(model);
  }
};

} // namespace

/// The runtime's own text, which has its number already.
static k3::Status runtimeError(k3_code code) {
  if (code == K3_OK)
    return {};
  return k3::Status::error(Code(code), 807,
                           std::string("the runtime: ") + k3rt_last_error());
}

static void store(const Tensor &value, Argument &out) {
  out.tensor.rank = int32_t(value.shape.size());
  std::copy(value.shape.begin(), value.shape.end(), out.tensor.shape);
  out.allocate();
  auto toFloat = [](double x) { return float(x); };
  auto toBf16 = [](double x) { return bf16FromFloat(float(x)); };
  switch (out.tensor.dtype) {
  case K3_F32:
    return out.fill<float>(value.reals, toFloat);
  case K3_BF16:
    return out.fill<uint16_t>(value.reals, toBf16);
  case K3_I32:
    return out.fill<int32_t>(value.integers, [](int32_t x) { return x; });
  default:
    return out.fill<uint8_t>(value.integers,
                             [](int32_t x) { return uint8_t(x); });
  }
}

static Tensor load(const Argument &argument) {
  ArrayRef<int64_t> shape(argument.tensor.shape, argument.tensor.rank);
  switch (argument.tensor.dtype) {
  case K3_F32:
    return Tensor::ofReals(
        shape, argument.read<float>([](float x) { return double(x); }));
  case K3_BF16:
    return Tensor::ofReals(shape, argument.read<uint16_t>([](uint16_t x) {
      return double(floatFromBf16(x));
    }));
  case K3_I32:
    return Tensor::ofIntegers(
        shape, argument.read<int32_t>([](int32_t x) { return x; }));
  default:
    return Tensor::ofIntegers(
        shape, argument.read<uint8_t>([](uint8_t x) { return int32_t(x); }));
  }
}

static k3::Status compileTo(const std::string &path, ModuleOp module,
                            const CompiledRun &run) {
  CompileOptions options;
  K3_TRY(parseTargets(run.target, options.targets));
  options.precision = run.precision;
  options.recurrence = run.recurrence;
  CompiledModel model;
  K3_TRY(compileModule(module, options, model));
  std::vector<SectionBytes> sections = {{"index", model.index}};
  for (auto [code, image] : llvm::zip_equal(model.plan.code, model.images))
    sections.push_back({code.target, image});
  std::string bytes;
  K3_TRY(makeArtefact(sections, bytes));
  return writeFile(path, bytes);
}

static k3::Status open(const std::string &path, const CompiledRun &run,
                       Handles &handles) {
  k3rt_model_options model = {};
  model.struct_size = sizeof(model);
  model.weights_dir = run.weights.empty() ? nullptr : run.weights.c_str();
  K3_TRY(runtimeError(k3rt_model_load(path.c_str(), &model, &handles.model)));
  k3rt_session_options session = {};
  session.struct_size = sizeof(session);
  session.threads = run.threads;
  session.slots = run.slots;
  session.capacity = run.capacity;
  K3_TRY(runtimeError(
      k3rt_session_create(handles.model, &session, &handles.session)));
  for (int64_t i = 0; i < run.slots; ++i) {
    int32_t slot;
    K3_TRY(runtimeError(k3rt_slot_create(handles.session, &slot)));
  }
  return {};
}

static k3::Status gatherInputs(const Handles &handles, const CompiledRun &run,
                               const NamedTensors &inputs,
                               std::vector<Argument> &out) {
  k3_tensor shape;
  for (int32_t i = 0;
       k3rt_entry_input(handles.model, run.entry.c_str(), i, &shape) == K3_OK;
       ++i) {
    auto given = inputs.find(shape.name);
    if (given == inputs.end()) {
      if (llvm::StringRef(shape.name) == "context_lens")
        continue;
      return k3::Status::error(Code::BadInput, 802,
                               "input " + quote(shape.name) + " is missing");
    }
    out.emplace_back();
    out.back().tensor = shape;
    store(*given->second, out.back());
  }
  return {};
}

static std::vector<k3_tensor> tensorsOf(std::vector<Argument> &arguments) {
  std::vector<k3_tensor> out;
  for (Argument &argument : arguments) {
    argument.tensor.data = argument.bytes.data();
    out.push_back(argument.tensor);
  }
  return out;
}

k3::Status CompiledRun::run(ModuleOp module, const NamedTensors &inputs) {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("k3-check", "fatbin", path))
    return k3::Status::error(Code::Io, 601,
                             "a temporary file: " + error.message());
  llvm::FileRemover remover(path);
  K3_TRY(compileTo(path.str().str(), module, *this));
  Handles handles;
  K3_TRY(open(path.str().str(), *this, handles));
  std::vector<Argument> given, wanted;
  K3_TRY(gatherInputs(handles, *this, inputs, given));
  std::vector<k3_tensor> in = tensorsOf(given);
  k3_tensor shape;
  for (int32_t i = 0; k3rt_entry_output(handles.model, entry.c_str(), i,
                                        in.data(), in.size(), &shape) == K3_OK;
       ++i) {
    wanted.emplace_back();
    wanted.back().tensor = shape;
    wanted.back().allocate();
  }
  std::vector<k3_tensor> out = tensorsOf(wanted);
  K3_TRY(runtimeError(k3rt_run(handles.session, entry.c_str(), in.data(),
                               in.size(), out.data(), out.size())));
  for (const Argument &result : wanted) {
    outputs[result.tensor.name] = share(load(result));
    dtypes[result.tensor.name] = nameOf(DType(result.tensor.dtype));
  }
  return {};
}
