// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a k3.kernel_func for a CPU level and runs it in the test's process.

#include "KernelHarness.h"

#include "k3/Target/X86/KernelObject.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

#include <cmath>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace k3::test {

static uint16_t bf16Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value))
    return uint16_t(bits >> 16) | 0x40;
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static float fromBf16(uint16_t half) {
  uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

float roundToBf16(float value) { return fromBf16(bf16Bits(value)); }

size_t Buffer::width() const {
  switch (element) {
  case Element::F32:
  case Element::I32:
    return 4;
  case Element::BF16:
    return 2;
  case Element::I8:
    return 1;
  }
  return 0;
}

Buffer::Buffer(Element element, std::vector<int64_t> shape)
    : element(element), shape(std::move(shape)) {
  size_t elements = 1;
  for (int64_t size : this->shape)
    elements *= size;
  bytes.resize(elements * width());
}

Buffer::Buffer(Element element, std::vector<int64_t> shape,
               const std::vector<float> &values)
    : Buffer(element, std::move(shape)) {
  EXPECT_EQ(values.size(), count());
  for (size_t i = 0; i < values.size(); ++i)
    set(i, values[i]);
}

template <typename T>
static void write(std::vector<char> &bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
static T read(const std::vector<char> &bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

void Buffer::set(size_t index, float value) {
  switch (element) {
  case Element::F32:
    return write(bytes, index, value);
  case Element::BF16:
    return write(bytes, index, bf16Bits(value));
  case Element::I32:
    return write(bytes, index, int32_t(value));
  case Element::I8:
    return write(bytes, index, int8_t(value));
  }
}

float Buffer::get(size_t index) const {
  switch (element) {
  case Element::F32:
    return read<float>(bytes, index);
  case Element::BF16:
    return fromBf16(read<uint16_t>(bytes, index));
  case Element::I32:
    return read<int32_t>(bytes, index);
  case Element::I8:
    return read<int8_t>(bytes, index);
  }
  return 0;
}

int32_t Buffer::integer(size_t index) const {
  return element == Element::I8 ? read<int8_t>(bytes, index)
                                : read<int32_t>(bytes, index);
}

std::vector<float> randomFloats(size_t count, unsigned seed, float scale) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = scale * (float(generator() >> 8) * (2.0f / 16777216.0f) - 1.0f);
  return values;
}

bool canRun(llvm::StringRef level) {
  auto features = llvm::sys::getHostCPUFeatures();
  const CpuTarget *target = findCpuTarget(level);
  return target && llvm::all_of(target->required, [&](llvm::StringRef name) {
           return features.lookup(name);
         });
}

std::vector<int64_t>
RunnableKernel::dimsOf(const std::vector<Buffer *> &buffers) const {
  std::vector<int64_t> dims;
  for (auto [buffer, dim] : lowered.dims)
    dims.push_back(buffers.at(buffer)->shape.at(dim));
  return dims;
}

int64_t RunnableKernel::workgroups(const std::vector<Buffer *> &buffers) const {
  if (lowered.gridDim < 0)
    return lowered.multiplier;
  int64_t size = dimsOf(buffers).at(lowered.gridDim);
  return int64_t(llvm::divideCeil(uint64_t(size), uint64_t(lowered.tile))) *
         lowered.multiplier;
}

void RunnableKernel::run(const std::vector<Buffer *> &buffers,
                         bool backwards) const {
  std::vector<void *> pointers;
  for (Buffer *buffer : buffers)
    pointers.push_back(buffer->data());
  std::vector<int64_t> dims = dimsOf(buffers);
  size_t bytes = llvm::alignTo(lowered.scratchBytes + 64, 64);
  void *scratch = std::aligned_alloc(64, bytes);
  std::memset(scratch, 0xff, bytes);
  int64_t groups = workgroups(buffers);
  for (int64_t i = 0; i < groups; ++i)
    function(backwards ? groups - 1 - i : i, pointers.data(), dims.data(),
             scratch);
  std::free(scratch);
}

/// Library and descriptor stay until the process ends, since dlopen takes
/// equal paths for one library.
static void *load(const std::string &image) {
  int file = memfd_create("kernel", MFD_CLOEXEC);
  if (::write(file, image.data(), image.size()) != ssize_t(image.size()))
    return nullptr;
  std::string path = "/proc/self/fd/" + std::to_string(file);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

static mlir::MLIRContext &contextOfTests() {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    registry.insert<K3Dialect>();
    registerObjectDialects(registry);
    auto *made = new mlir::MLIRContext(registry);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *context;
}

RunnableKernel compileKernel(llvm::StringRef text, llvm::StringRef level,
                             llvm::function_ref<void(mlir::ModuleOp)> edit) {
  RunnableKernel kernel;
  const CpuTarget &target = *findCpuTarget(level);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &contextOfTests());
  EXPECT_TRUE(module) << text.str();
  if (!module)
    return kernel;
  llvm::SmallVector<LoweredKernel> kernels;
  auto loops = lowerKernels(*module, target, kernels);
  if (edit && succeeded(loops))
    edit(loops->get());
  bool lowered = succeeded(loops) && kernels.size() == 1 &&
                 succeeded(lowerToLLVM(loops->get(), target));
  EXPECT_TRUE(lowered) << text.str();
  if (!lowered)
    return kernel;
  kernel.lowered = kernels.front();
  std::string image;
  Status status = compileToSharedObject(loops->get(), target,
                                        {kernel.lowered.symbol}, image);
  EXPECT_TRUE(status.ok()) << status.text();
  if (!status.ok())
    return kernel;
  void *library = load(image);
  EXPECT_TRUE(library);
  if (library)
    kernel.function = reinterpret_cast<decltype(kernel.function)>(
        dlsym(library, kernel.lowered.symbol.c_str()));
  EXPECT_TRUE(kernel.function);
  return kernel;
}

} // namespace k3::test
