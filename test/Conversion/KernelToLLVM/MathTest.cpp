// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fp32 functions of kernels against libm in double, in units in the last
// place, and their limits; rounding to bf16 of every kind of number.

#include "KernelHarness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace k3::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Distance from the exact value, in units in the last place of the result.
double ulps(float got, double exact) {
  if (std::isnan(exact))
    return std::isnan(got) ? 0 : infinity;
  float rounded = float(exact);
  if (std::isinf(rounded) || std::isinf(got))
    return got == rounded ? 0 : infinity;
  int exponent;
  std::frexp(exact, &exponent);
  return std::abs(double(got) - exact) /
         std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Function {
  const char *name;
  double (*exact)(double);
  float from, to; // of most of the samples
};

double reciprocalRoot(double x) { return 1 / std::sqrt(x); }

const Function functions[] = {
    {"exp", std::exp, -110, 95},     {"exp", std::exp, -1, 1},
    {"log", std::log, 0, 10},        {"log", std::log, 0, 1e-37f},
    {"log1p", std::log1p, -1, 4},    {"log1p", std::log1p, -1e-3f, 1e-3f},
    {"tanh", std::tanh, -12, 12},    {"tanh", std::tanh, -0.7f, 0.7f},
    {"rsqrt", reciprocalRoot, 0, 9},
};

const float special[] = {0.0f,          -0.0f,     1.0f,         -1.0f,
                         infinity,      -infinity, 1e-45f,       -1e-45f,
                         1.2e-38f,      3.4e38f,   -3.4e38f,     88.72283f,
                         88.7229f,      -87.4f,    -103.97f,     -104.5f,
                         std::nanf(""), 1e-20f,    -0.99999994f, 9.01f};

/// The loops of a kernel that adds, with a function of the first summand in
/// place of the sum.
RunnableKernel compileFunction(const char *name, llvm::StringRef level) {
  const char *text = R"(
k3.kernel_func @k attributes {update_pairs = array<i64>} {
^bb0(%x: tensor<?x1024xf32>):
  %r = k3.add %x, %x
    : (tensor<?x1024xf32>, tensor<?x1024xf32>) -> tensor<?x1024xf32>
  k3.yield %r : tensor<?x1024xf32>
})";
  return compileKernel(text, level, [&](mlir::ModuleOp module) {
    module.walk([&](mlir::arith::AddFOp add) {
      mlir::OpBuilder builder(add);
      mlir::Operation *call = builder.create(
          add.getLoc(), builder.getStringAttr(std::string("math.") + name),
          mlir::ValueRange{add.getLhs()}, mlir::TypeRange{add.getType()});
      add.replaceAllUsesWith(call->getResult(0));
      add.erase();
    });
  });
}

void checkFunction(const Function &function, llvm::StringRef level) {
  constexpr int64_t count = 1 << 20;
  RunnableKernel kernel = compileFunction(function.name, level);
  ASSERT_TRUE(kernel.function);
  Buffer x(Element::F32, {1024, 1024}), y(Element::F32, {1024, 1024});
  double step = (double(function.to) - function.from) / count;
  for (int64_t i = 0; i < count; ++i)
    x.set(i, float(function.from + step * (i + 0.5)));
  for (auto [i, value] : llvm::enumerate(special))
    x.set(i, value);
  kernel.run({&x, &y});
  double worst = 0;
  float where = 0;
  for (int64_t i = 0; i < count; ++i) {
    double error = ulps(y.get(i), function.exact(x.get(i)));
    if (!(error <= worst)) {
      worst = error;
      where = x.get(i);
    }
  }
  EXPECT_LE(worst, 4) << function.name << "(" << where << ") on "
                      << level.str();
  std::string key = std::string(function.name) + " on " + level.str();
  std::printf("%-18s [%g, %g]: %.2f ulp at %g\n", key.c_str(), function.from,
              function.to, worst, where);
}

TEST(KernelMath, IsWithinFourUlpOfLibm) {
  for (const char *level : {"x86-64-v3", "x86-64-v4"})
    if (canRun(level))
      for (const Function &function : functions)
        checkFunction(function, level);
}

/// The sigmoid reaches 0 and 1, and nothing in between becomes NaN.
TEST(KernelMath, SigmoidHasExactLimits) {
  const char *text = R"(
k3.kernel_func @k attributes {update_pairs = array<i64>} {
^bb0(%x: tensor<?x8xf32>):
  %r = k3.sigmoid %x {scale = 1.0 : f64}
    : (tensor<?x8xf32>) -> tensor<?x8xf32>
  k3.yield %r : tensor<?x8xf32>
})";
  for (const char *level : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(level))
      continue;
    RunnableKernel kernel = compileKernel(text, level);
    ASSERT_TRUE(kernel.function);
    Buffer x(Element::F32, {1, 8},
             {-infinity, -1000, -90, 0, 90, 1000, infinity, std::nanf("")});
    Buffer y(Element::F32, {1, 8});
    kernel.run({&x, &y});
    EXPECT_EQ(y.get(0), 0);
    EXPECT_EQ(y.get(1), 0);
    EXPECT_LT(y.get(2), 1e-38f);
    EXPECT_EQ(y.get(3), 0.5f);
    EXPECT_EQ(y.get(4), 1);
    EXPECT_EQ(y.get(5), 1);
    EXPECT_EQ(y.get(6), 1);
    EXPECT_TRUE(std::isnan(y.get(7)));
  }
}

/// Ties go to even, denormals stay, NaN stays NaN, and the largest numbers
/// round to infinity.
TEST(KernelMath, RoundsToBf16Exactly) {
  const char *text = R"(
k3.kernel_func @k attributes {update_pairs = array<i64>} {
^bb0(%x: tensor<?x1031xf32>, %z: tensor<?x1031xf32>):
  %r = k3.add %x, %z
    : (tensor<?x1031xf32>, tensor<?x1031xf32>) -> tensor<?x1031xbf16>
  k3.yield %r : tensor<?x1031xbf16>
})";
  constexpr size_t count = 1031 * 64;
  for (const char *level : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(level))
      continue;
    RunnableKernel kernel = compileKernel(text, level);
    ASSERT_TRUE(kernel.function);
    Buffer x(Element::F32, {64, 1031}), z(Element::F32, {64, 1031});
    Buffer y(Element::BF16, {64, 1031});
    for (size_t i = 0; i < count; ++i) {
      // Every upper half, with lower halves around the tie.
      const uint32_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
      uint32_t bits = uint32_t(i) << 16 | lower[i % 6];
      std::memcpy(x.bytes.data() + 4 * i, &bits, 4);
      z.set(i, -0.0f);
    }
    kernel.run({&x, &z, &y});
    for (size_t i = 0; i < count; ++i) {
      float wanted = roundToBf16(x.get(i)), got = y.get(i);
      if (std::isnan(wanted))
        ASSERT_TRUE(std::isnan(got));
      else
        ASSERT_EQ(got, wanted) << x.get(i);
    }
  }
}

} // namespace
