// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a k3.kernel_func for a CPU level and runs it in the test's process.

#ifndef K3_TEST_CONVERSION_KERNELTOLLVM_KERNELHARNESS_H
#define K3_TEST_CONVERSION_KERNELTOLLVM_KERNELHARNESS_H

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"

#include <cstring>
#include <string>
#include <vector>

namespace k3::test {

enum class Element { F32, BF16, I32, I8 };

/// A dense buffer with its shape.
class Buffer {
public:
  Buffer(Element element, std::vector<int64_t> shape);
  Buffer(Element element, std::vector<int64_t> shape,
         const std::vector<float> &values);

  /// Floats are rounded to the element type, to nearest even.
  void set(size_t index, float value);
  float get(size_t index) const;
  int32_t integer(size_t index) const;
  size_t count() const { return bytes.size() / width(); }
  void *data() { return bytes.data(); }
  bool operator==(const Buffer &other) const { return bytes == other.bytes; }

  Element element;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

private:
  size_t width() const;
};

/// `value` rounded to bf16 and back.
float roundToBf16(float value);

/// Numbers in [-scale, scale], always the same ones for one seed.
std::vector<float> randomFloats(size_t count, unsigned seed, float scale = 2);

/// A compiled kernel; its code stays loaded until the process ends.
struct RunnableKernel {
  LoweredKernel lowered;
  void (*function)(int64_t, void *const *, const int64_t *, void *) = nullptr;

  int64_t workgroups(const std::vector<Buffer *> &buffers) const;
  /// Runs all workgroups, last one first when `backwards`. Scratch memory
  /// starts as NaN.
  void run(const std::vector<Buffer *> &buffers, bool backwards = false) const;

private:
  std::vector<int64_t> dimsOf(const std::vector<Buffer *> &buffers) const;
};

/// Compiles the only kernel of `text`, whose loops `edit` may change. On
/// failure the test fails and `function` is null.
RunnableKernel
compileKernel(llvm::StringRef text, llvm::StringRef level,
              llvm::function_ref<void(mlir::ModuleOp)> edit = nullptr);

/// True when this machine can run code of a level.
bool canRun(llvm::StringRef level);

} // namespace k3::test

#endif // K3_TEST_CONVERSION_KERNELTOLLVM_KERNELHARNESS_H
