// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written llvm-dialect kernels are compiled, loaded and run.

#include "k3/Target/X86/KernelObject.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace k3;

namespace {

class KernelObjectTest : public testing::Test {
protected:
  KernelObjectTest() {
    DialectRegistry registry;
    registry.insert<LLVM::LLVMDialect>();
    registerObjectDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  k3::Status compile(llvm::StringRef text, std::vector<std::string> kernels,
                     std::string &image, const char *target = "x86-64-v3") {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return compileToSharedObject(*module, *findCpuTarget(target), kernels,
                                 image);
  }

  MLIRContext context;
};

using Kernel = void (*)(int64_t, void *const *, const int64_t *, void *);

/// Loads an image; library and descriptor stay until the process ends, since
/// dlopen takes equal paths for one library.
void *load(const std::string &image) {
  int fd = memfd_create("image", MFD_CLOEXEC);
  EXPECT_EQ(write(fd, image.data(), image.size()), ssize_t(image.size()));
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(library) << dlerror();
  return library;
}

constexpr const char *addOne = R"(
llvm.mlir.global private constant @one(1.0 : f32) : f32
llvm.func @add_one(%group: i64, %buffers: !llvm.ptr, %dims: !llvm.ptr,
                   %scratch: !llvm.ptr) {
  %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %at = llvm.getelementptr %x[%group] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %old = llvm.load %at : !llvm.ptr -> f32
  %p = llvm.mlir.addressof @one : !llvm.ptr
  %c = llvm.load %p : !llvm.ptr -> f32
  %new = llvm.fadd %old, %c : f32
  llvm.store %new, %at : f32, !llvm.ptr
  llvm.return
})";

TEST_F(KernelObjectTest, RunsACompiledKernel) {
  std::string image;
  k3::Status status = compile(addOne, {"add_one"}, image);
  ASSERT_TRUE(status.ok()) << status.text();
  auto kernel = Kernel(dlsym(load(image), "add_one"));
  ASSERT_TRUE(kernel);
  float x[3] = {1, 2, 3};
  void *buffers[] = {x};
  kernel(1, buffers, nullptr, nullptr);
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(x[1], 3);
  EXPECT_EQ(x[2], 3);
}

TEST_F(KernelObjectTest, ProvidesMemoryRoutines) {
  constexpr const char *text = R"(
llvm.func @move(%group: i64, %buffers: !llvm.ptr, %dims: !llvm.ptr,
                %scratch: !llvm.ptr) {
  %n = llvm.load %dims : !llvm.ptr -> i64
  %a = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %slot = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %b = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  "llvm.intr.memcpy"(%b, %a, %n) <{isVolatile = false}>
    : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %c = llvm.getelementptr %b[1] : (!llvm.ptr) -> !llvm.ptr, i8
  "llvm.intr.memmove"(%c, %b, %n) <{isVolatile = false}>
    : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %v = llvm.mlir.constant(7 : i8) : i8
  "llvm.intr.memset"(%a, %v, %n) <{isVolatile = false}>
    : (!llvm.ptr, i8, i64) -> ()
  llvm.return
})";
  std::string image;
  k3::Status status = compile(text, {"move"}, image);
  ASSERT_TRUE(status.ok()) << status.text();
  auto kernel = Kernel(dlsym(load(image), "move"));
  ASSERT_TRUE(kernel);
  for (int64_t n : {0, 1, 15, 1000}) {
    std::vector<uint8_t> a(n + 1), b(n + 2, 255);
    std::iota(a.begin(), a.end(), 0);
    void *buffers[] = {a.data(), b.data()};
    kernel(0, buffers, &n, nullptr);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(b[i + 1], uint8_t(i));
      ASSERT_EQ(a[i], 7);
    }
    EXPECT_EQ(a[n], uint8_t(n));
    EXPECT_EQ(b[n + 1], 255);
  }
}

TEST_F(KernelObjectTest, NamesAnImport) {
  std::string image;
  k3::Status status = compile(R"(
llvm.func @expf(f32) -> f32
llvm.func @f(%group: i64, %buffers: !llvm.ptr, %dims: !llvm.ptr,
             %scratch: !llvm.ptr) {
  %x = llvm.load %scratch : !llvm.ptr -> f32
  %y = llvm.call @expf(%x) : (f32) -> f32
  llvm.store %y, %scratch : f32, !llvm.ptr
  llvm.return
})",
                              {"f"}, image);
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_NE(status.text().find("imports 'expf'"), std::string::npos)
      << status.text();
}

TEST_F(KernelObjectTest, WantsEveryKernelDefined) {
  std::string image;
  k3::Status status = compile("llvm.func @f(i64)", {"f"}, image);
  EXPECT_EQ(status.text(), "kernel 'f' has no code");
}

TEST_F(KernelObjectTest, GivesTheSameBytesTwice) {
  for (const CpuTarget &target : cpuTargets()) {
    std::string first, second;
    ASSERT_TRUE(compile(addOne, {"add_one"}, first, target.name.data()).ok());
    ASSERT_TRUE(compile(addOne, {"add_one"}, second, target.name.data()).ok());
    EXPECT_EQ(first, second);
  }
}

TEST_F(KernelObjectTest, UsesTheRegistersOfTheLevel) {
  constexpr const char *text = R"(
llvm.func @f(%group: i64, %buffers: !llvm.ptr, %dims: !llvm.ptr,
             %scratch: !llvm.ptr) {
  %x = llvm.load %scratch : !llvm.ptr -> vector<16xf32>
  %y = llvm.fadd %x, %x : vector<16xf32>
  llvm.store %y, %scratch : vector<16xf32>, !llvm.ptr
  llvm.return
})";
  auto module = parseSourceString<ModuleOp>(text, &context);
  KernelObject v3, v4;
  ASSERT_TRUE(
      emitObject(*module, *findCpuTarget("x86-64-v3"), {"f"}, true, v3).ok());
  ASSERT_TRUE(
      emitObject(*module, *findCpuTarget("x86-64-v4"), {"f"}, true, v4).ok());
  EXPECT_NE(v4.assembly.find("%zmm0"), std::string::npos);
  EXPECT_EQ(v3.assembly.find("%zmm"), std::string::npos);
  EXPECT_NE(v3.assembly.find("%ymm0"), std::string::npos);
}

TEST_F(KernelObjectTest, RefusesAFeatureThatLlvmDoesNotKnow) {
  auto module = parseSourceString<ModuleOp>(addOne, &context);
  CpuTarget target = *findCpuTarget("x86-64-v3");
  target.targetFeatures = "+no-such-feature";
  KernelObject object;
  k3::Status status = emitObject(*module, target, {"add_one"}, false, object);
  EXPECT_EQ(status.code(), Code::Internal);
}

} // namespace
