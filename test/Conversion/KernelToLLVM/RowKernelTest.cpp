// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row-wise op against a double loop, for widths around those of vectors,
// both element types and every level that this machine can run.

#include "KernelHarness.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace k3::test;

namespace {

constexpr int64_t rows = 5, heads = 3;

/// A kernel, its inputs, and the formula of one row.
struct Case {
  std::string text = {};
  std::vector<Buffer> inputs;
  std::vector<Buffer> outputs;
  /// expected[k] of output 0 for row t.
  std::function<std::vector<double>(int64_t t)> expected = {};
};

std::string tensor(const Buffer &buffer, bool dynamic) {
  std::string text = "tensor<";
  for (auto [i, size] : llvm::enumerate(buffer.shape))
    text += (i == 0 && dynamic ? "?" : std::to_string(size)) + "x";
  return text + (buffer.element == Element::BF16  ? "bf16>"
                 : buffer.element == Element::I32 ? "i32>"
                                                  : "f32>");
}

/// `%r = k3.<op>` with the operands written as %0, %1, ...; `rowInputs` of the
/// inputs have rows, the others are weights.
std::string kernelText(const std::string &op, const std::string &attributes,
                       const Case &test, size_t rowInputs) {
  std::string arguments, types;
  for (auto [i, input] : llvm::enumerate(test.inputs)) {
    std::string type = tensor(input, i < rowInputs);
    arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": " + type;
    types += (i ? ", " : "") + type;
  }
  std::string result = tensor(test.outputs[0], true);
  return "k3.kernel_func @k attributes {update_pairs = array<i64>} {\n^bb0(" +
         arguments + "):\n  %r = k3." + op + " {" + attributes + "} : (" +
         types + ") -> " + result + "\n  k3.yield %r : " + result + "\n}\n";
}

std::vector<Buffer *> pointers(Case &test) {
  std::vector<Buffer *> all;
  for (Buffer &buffer : test.inputs)
    all.push_back(&buffer);
  for (Buffer &buffer : test.outputs)
    all.push_back(&buffer);
  return all;
}

void expectRows(const Case &test) {
  const Buffer &out = test.outputs[0];
  double relative = out.element == Element::BF16 ? 0x1p-8 : 2e-6;
  size_t width = out.count() / out.shape[0];
  for (int64_t t = 0; t < out.shape[0]; ++t) {
    std::vector<double> expected = test.expected(t);
    ASSERT_EQ(expected.size(), width);
    double size = 0;
    for (double value : expected)
      size = std::max(size, std::abs(value));
    for (size_t k = 0; k < width; ++k)
      ASSERT_NEAR(out.get(t * width + k), expected[k],
                  relative * std::abs(expected[k]) + 4e-7 * size)
          << "row " << t << ", element " << k << "\n"
          << test.text;
  }
}

/// Compiles and compares; then a row alone must have the same bits.
void check(Case &test, const std::string &level) {
  SCOPED_TRACE(level);
  RunnableKernel kernel = compileKernel(test.text, level);
  ASSERT_TRUE(kernel.function);
  kernel.run(pointers(test));
  expectRows(test);
  Buffer all = test.outputs[0];
  test.outputs[0] = Buffer(all.element, all.shape);
  kernel.run(pointers(test), /*backwards=*/true);
  EXPECT_TRUE(all == test.outputs[0]);
}

void checkLevels(Case test) {
  for (std::string level : {"x86-64-v3", "x86-64-v4"})
    if (canRun(level))
      check(test, level);
}

struct Widths : testing::TestWithParam<std::tuple<int64_t, Element>> {
  int64_t width() const { return std::get<0>(GetParam()); }
  Element element() const { return std::get<1>(GetParam()); }
  unsigned seed = 1;

  Buffer random(std::vector<int64_t> shape, Element element, float scale = 2) {
    Buffer buffer(element, shape);
    std::vector<float> values = randomFloats(buffer.count(), seed++, scale);
    return Buffer(element, shape, values);
  }
  Buffer flat(float scale = 2) {
    return random({rows, width()}, element(), scale);
  }
  Buffer perHead(float scale = 2) {
    return random({rows, heads, width()}, element(), scale);
  }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

using Row = std::vector<double>;

Row rowOf(const Buffer &buffer, int64_t t) {
  size_t width = buffer.count() / buffer.shape[0];
  Row row(width);
  for (size_t k = 0; k < width; ++k)
    row[k] = buffer.get(t * width + k);
  return row;
}

Row all(const Buffer &buffer) {
  Row row(buffer.count());
  for (size_t k = 0; k < row.size(); ++k)
    row[k] = buffer.get(k);
  return row;
}

double meanOfSquares(const Row &x, size_t from, size_t width) {
  double sum = 0;
  for (size_t k = 0; k < width; ++k)
    sum += x[from + k] * x[from + k];
  return sum / width;
}

TEST_P(Widths, RmsNorm) {
  Case test{.inputs = {perHead(), random({width()}, Element::F32)},
            .outputs = {Buffer(element(), {rows, heads, width()})}};
  test.text =
      kernelText("rms_norm %a0, %a1",
                 "eps = 1.0e-5 : f64, round_before_weight = false", test, 1);
  size_t d = width();
  Row w = all(test.inputs[1]);
  test.expected = [x = test.inputs[0], w, d](int64_t t) {
    Row r = rowOf(x, t);
    Row y = r;
    for (size_t i = 0; i < r.size(); ++i)
      y[i] *= w[i % d] / std::sqrt(meanOfSquares(r, i / d * d, d) + 1e-5);
    return y;
  };
  checkLevels(test);
}

TEST_P(Widths, RmsNormRoundsBeforeTheWeight) {
  Case test{.inputs = {flat(), random({width()}, Element::F32)},
            .outputs = {Buffer(Element::F32, {rows, width()})}};
  test.text =
      kernelText("rms_norm %a0, %a1",
                 "eps = 1.0e-5 : f64, round_before_weight = true", test, 1);
  size_t d = width();
  bool rounds = element() == Element::BF16;
  for (std::string level : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(level))
      continue;
    RunnableKernel kernel = compileKernel(test.text, level);
    ASSERT_TRUE(kernel.function);
    kernel.run(pointers(test));
    Row w = all(test.inputs[1]);
    for (int64_t t = 0; t < rows; ++t) {
      Row x = rowOf(test.inputs[0], t), y = rowOf(test.outputs[0], t);
      double scale = 1 / std::sqrt(meanOfSquares(x, 0, d) + 1e-5);
      for (size_t k = 0; k < d; ++k) {
        float n = x[k] * scale;
        double before = rounds ? roundToBf16(n) : n;
        // A quotient on the border between two bf16 may go either way.
        double slack = rounds ? 0x1p-8 : 1e-6;
        EXPECT_NEAR(y[k], before * w[k], std::abs(before * w[k]) * slack);
        if (rounds)
          EXPECT_NEAR(roundToBf16(y[k] / w[k]), y[k] / w[k],
                      std::abs(y[k] / w[k]) * 1e-6);
      }
    }
  }
}

TEST_P(Widths, GatedRmsNorm) {
  for (bool silu : {false, true}) {
    Case test{
        .inputs = {perHead(), perHead(6), random({width()}, Element::F32)},
        .outputs = {Buffer(element(), {rows, heads, width()})}};
    test.text = kernelText(
        "gated_rms_norm %a0, %a1, %a2",
        std::string("eps = 1.0e-5 : f64, activation = #k3.activation<") +
            (silu ? "silu>" : "sigmoid>"),
        test, 2);
    size_t d = width();
    test.expected = [x = test.inputs[0], g = test.inputs[1],
                     w = all(test.inputs[2]), d, silu](int64_t t) {
      Row r = rowOf(x, t), gate = rowOf(g, t), y = r;
      for (size_t i = 0; i < r.size(); ++i)
        y[i] *= w[i % d] / std::sqrt(meanOfSquares(r, i / d * d, d) + 1e-5) *
                sigmoid(gate[i]) * (silu ? gate[i] : 1);
      return y;
    };
    checkLevels(test);
  }
}

TEST_P(Widths, L2Norm) {
  Case test{.inputs = {perHead()},
            .outputs = {Buffer(Element::F32, {rows, heads, width()})}};
  test.text = kernelText("l2_norm %a0", "eps = 1.0e-6 : f64, scale = 0.5 : f64",
                         test, 1);
  size_t d = width();
  test.expected = [x = test.inputs[0], d](int64_t t) {
    Row r = rowOf(x, t), y = r;
    for (size_t i = 0; i < r.size(); ++i)
      y[i] *= 0.5 / std::sqrt(meanOfSquares(r, i / d * d, d) * d + 1e-6);
    return y;
  };
  checkLevels(test);
}

/// The three maps of k3.gate on one logit.
double decay(const std::string &map, double z, double rate) {
  if (map == "bounded")
    return -5 * sigmoid(rate * z);
  if (map == "softplus")
    return -rate * std::log1p(std::exp(z));
  return rate * -std::log1p(std::exp(-z)) / 16;
}

TEST_P(Widths, Gate) {
  for (std::string map : {"bounded", "softplus", "log_sigmoid"}) {
    Case test{.inputs = {perHead(8), random({heads}, Element::F32),
                         random({heads, width()}, Element::F32)},
              .outputs = {Buffer(Element::F32, {rows, heads, width()})}};
    std::string attributes = "map = #k3.gate_map<" + map + ">";
    if (map == "bounded")
      attributes += ", lower_bound = -5.0 : f64";
    if (map == "log_sigmoid")
      attributes += ", normalizer = 16.0 : f64";
    attributes += ", operandSegmentSizes = array<i32: 1, 1, 1>";
    test.text =
        kernelText("gate %a0 a_log(%a1) dt_bias(%a2)", attributes, test, 1);
    size_t d = width();
    test.expected = [x = test.inputs[0], a = all(test.inputs[1]),
                     b = all(test.inputs[2]), d, map](int64_t t) {
      Row y = rowOf(x, t);
      for (size_t i = 0; i < y.size(); ++i)
        y[i] = decay(map, y[i] + b[i], std::exp(a[i / d]));
      return y;
    };
    checkLevels(test);
  }
}

TEST_P(Widths, GateOfEachHead) {
  Case test{.inputs = {flat(8), random({width()}, Element::F32)},
            .outputs = {Buffer(Element::F32, {rows, width()})}};
  test.text = kernelText("gate %a0 a_log(%a1)",
                         "map = #k3.gate_map<softplus>, operandSegmentSizes = "
                         "array<i32: 1, 1, 0>",
                         test, 1);
  test.expected = [x = test.inputs[0], a = all(test.inputs[1])](int64_t t) {
    Row y = rowOf(x, t);
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = decay("softplus", y[i], std::exp(a[i]));
    return y;
  };
  checkLevels(test);
}

TEST_P(Widths, Sigmoid) {
  Case test{.inputs = {flat(20)},
            .outputs = {Buffer(Element::F32, {rows, width()})}};
  test.text = kernelText("sigmoid %a0", "scale = 2.0 : f64", test, 1);
  test.expected = [x = test.inputs[0]](int64_t t) {
    Row y = rowOf(x, t);
    for (double &value : y)
      value = 2 * sigmoid(value);
    return y;
  };
  checkLevels(test);
}

/// An op of two rows, element by element.
void checkPair(const std::string &op, const std::string &attributes, Buffer x,
               Buffer y, double (*formula)(double, double)) {
  Buffer out(x.element, x.shape);
  Case test{.inputs = {x, y}, .outputs = {out}};
  test.text = kernelText(op + " %a0, %a1", attributes, test, 2);
  test.expected = [x, y, formula](int64_t t) {
    Row left = rowOf(x, t), right = rowOf(y, t);
    for (size_t k = 0; k < left.size(); ++k)
      left[k] = formula(left[k], right[k]);
    return left;
  };
  checkLevels(test);
}

TEST_P(Widths, Pairs) {
  checkPair("add", "", flat(), flat(),
            [](double x, double y) { return x + y; });
  checkPair("output_gate", "activation = #k3.activation<sigmoid>", perHead(),
            perHead(8), [](double x, double y) { return x * sigmoid(y); });
  checkPair("output_gate", "activation = #k3.activation<silu>", flat(), flat(8),
            [](double x, double y) { return x * y * sigmoid(y); });
  checkPair("swiglu", "", flat(8), flat(),
            [](double x, double y) { return x * sigmoid(x) * y; });
  checkPair("situ_glu", "beta = 4.0 : f64, linear_beta = 25.0 : f64", flat(8),
            flat(60), [](double x, double y) {
              return 4 * std::tanh(x / 4) * sigmoid(x) * 25 * std::tanh(y / 25);
            });
  checkPair(
      "situ_glu", "beta = 4.0 : f64", flat(8), flat(),
      [](double x, double y) { return 4 * std::tanh(x / 4) * sigmoid(x) * y; });
}

TEST_P(Widths, AttnRes) {
  Case test{.inputs = {flat(), random({width()}, Element::F32),
                       // Scores of order 1, whatever the width.
                       random({width()}, Element::F32, 2 / std::sqrt(width())),
                       flat(), flat(), flat()},
            .outputs = {Buffer(element(), {rows, width()})}};
  std::string row = tensor(test.outputs[0], true);
  std::string weight = tensor(test.inputs[1], false);
  test.text =
      "k3.kernel_func @k attributes {update_pairs = array<i64>} {\n"
      "^bb0(%p: " +
      row + ", %n: " + weight + ", %q: " + weight + ", %x: " + row +
      ", %y: " + row + ", %z: " + row +
      "):\n"
      "  %r = k3.attn_res %p, %n, %q blocks(%x, %y, %z) {eps = 1.0e-5 : f64} "
      ": (" +
      row + ", " + weight + ", " + weight + ", " + row + ", " + row + ", " +
      row + ") -> " + row + "\n  k3.yield %r : " + row + "\n}\n";
  test.expected = [in = test.inputs](int64_t t) {
    Row n = all(in[1]), q = all(in[2]), scores, y(n.size());
    std::vector<Row> sources;
    for (int i : {3, 4, 5, 0})
      sources.push_back(rowOf(in[i], t));
    double total = 0;
    for (const Row &v : sources) {
      double score = 0;
      for (size_t k = 0; k < v.size(); ++k)
        score += v[k] / std::sqrt(meanOfSquares(v, 0, v.size()) + 1e-5) * n[k] *
                 q[k];
      scores.push_back(std::exp(score));
      total += scores.back();
    }
    for (size_t i = 0; i < sources.size(); ++i)
      for (size_t k = 0; k < y.size(); ++k)
        y[k] += scores[i] / total * sources[i][k];
    return y;
  };
  checkLevels(test);
}

TEST_P(Widths, Embedding) {
  Case test{.inputs = {Buffer(Element::I32, {rows}, {6, 0, 3, 3, 1}),
                       random({7, width()}, element())},
            .outputs = {Buffer(Element::F32, {rows, width()})}};
  test.text = kernelText("embedding %a0, %a1", "", test, 1);
  test.expected = [in = test.inputs](int64_t t) {
    return rowOf(in[1], in[0].integer(t));
  };
  checkLevels(test);
}

/// A slice of an inner value, seen as heads, next to a yielded value that the
/// kernel reads again.
TEST_P(Widths, SliceReshapeAndReuse) {
  int64_t d = width();
  std::string type = element() == Element::BF16 ? "bf16>" : "f32>";
  std::string wide = "tensor<?x" + std::to_string(3 * d) + "x" + type;
  std::string part = "tensor<?x" + std::to_string(2 * d) + "x" + type;
  std::string headed = "tensor<?x2x" + std::to_string(d) + "x" + type;
  Case test{.inputs = {random({rows, 3 * d}, element())},
            .outputs = {Buffer(element(), {rows, 2, d}),
                        Buffer(element(), {rows, 3 * d}),
                        Buffer(element(), {rows, 2 * d})}};
  test.text =
      "k3.kernel_func @k attributes {update_pairs = array<i64>} {\n"
      "^bb0(%x: " +
      wide + "):\n  %s = k3.add %x, %x : (" + wide + ", " + wide + ") -> " +
      wide + "\n  %p = k3.slice %s {offset = " + std::to_string(d) + "} : (" +
      wide + ") -> " + part + "\n  %h = k3.reshape %p : (" + part + ") -> " +
      headed +
      "\n  %g = k3.output_gate %h, %h {activation = "
      "#k3.activation<silu>} : (" +
      headed + ", " + headed + ") -> " + headed + "\n  %f = k3.reshape %g : (" +
      headed + ") -> " + part + "\n  k3.yield %g, %s, %f : " + headed + ", " +
      wide + ", " + part + "\n}\n";
  test.expected = [x = test.inputs[0], d, e = element()](int64_t t) {
    Row y;
    Row in = rowOf(x, t);
    for (int64_t k = d; k < 3 * d; ++k) {
      double s = 2 * in[k];
      y.push_back(s * s * sigmoid(s));
    }
    return y;
  };
  checkLevels(test);
  RunnableKernel kernel = compileKernel(test.text, "x86-64-v3");
  ASSERT_TRUE(kernel.function);
  kernel.run(pointers(test));
  EXPECT_EQ(test.outputs[0].bytes, test.outputs[2].bytes);
  for (size_t i = 0; i < test.outputs[1].count(); ++i)
    EXPECT_EQ(test.outputs[1].get(i), 2 * test.inputs[0].get(i));
}

std::string
nameOf(const testing::TestParamInfo<std::tuple<int64_t, Element>> &info) {
  return std::to_string(std::get<0>(info.param)) +
         (std::get<1>(info.param) == Element::BF16 ? "bf16" : "f32");
}

INSTANTIATE_TEST_SUITE_P(
    , Widths,
    testing::Combine(testing::Values(1, 5, 17, 48, 96, 192, 2304),
                     testing::Values(Element::BF16, Element::F32)),
    nameOf);

/// A row's bits do not depend on how many rows there are or where it lies.
TEST(RowKernels, RowsDoNotDependOnTheirNeighbours) {
  const char *text = R"(
k3.kernel_func @k attributes {update_pairs = array<i64>} {
^bb0(%x: tensor<?x77xbf16>, %w: tensor<77xf32>):
  %n = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = false}
    : (tensor<?x77xbf16>, tensor<77xf32>) -> tensor<?x77xf32>
  %r = k3.swiglu %n, %n : (tensor<?x77xf32>, tensor<?x77xf32>)
    -> tensor<?x77xf32>
  k3.yield %r : tensor<?x77xf32>
})";
  for (std::string level : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(level))
      continue;
    RunnableKernel kernel = compileKernel(text, level);
    ASSERT_TRUE(kernel.function);
    Buffer w(Element::F32, {77}, randomFloats(77, 9));
    Buffer x(Element::BF16, {37, 77}, randomFloats(37 * 77, 10));
    Buffer y(Element::F32, {37, 77});
    kernel.run({&x, &w, &y});
    EXPECT_EQ(kernel.workgroups({&x, &w, &y}), 3);
    for (int64_t t = 0; t < 37; ++t) {
      Buffer one(Element::BF16, {1, 77}), alone(Element::F32, {1, 77});
      std::memcpy(one.data(), x.bytes.data() + t * 154, 154);
      kernel.run({&one, &w, &alone});
      EXPECT_EQ(0, std::memcmp(alone.data(), y.bytes.data() + t * 308, 308));
    }
    Buffer none(Element::BF16, {0, 77}), nothing(Element::F32, {0, 77});
    kernel.run({&none, &w, &nothing});
  }
}

} // namespace
