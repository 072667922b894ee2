// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gates, units, residuals and the router on small inputs with known answers.

#include "TestModule.h"
#include "k3/Reference/Mxfp4.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace k3::reference;

static double gate(const std::string &attributes, double aLog, double bias,
                   double z) {
  TestModule module(
      "func.func @main(%z: tensor<?x1xf32> {k3.name = \"z\"},"
      "%a: tensor<1xf32> {k3.name = \"a\"}, %b: tensor<1xf32> "
      "{k3.name = \"b\"}) -> (tensor<?x1xf32> {k3.name = \"g\"}) {"
      "%g = k3.gate %z a_log(%a) dt_bias(%b) {" +
      attributes +
      "} : (tensor<?x1xf32>, tensor<1xf32>, tensor<1xf32>) -> "
      "tensor<?x1xf32>\n return %g : tensor<?x1xf32>}");
  NamedTensors out = module.run({{"z", reals({1, 1}, {z})},
                                 {"a", reals({1}, {aLog})},
                                 {"b", reals({1}, {bias})}});
  return out.count("g") ? out["g"]->reals[0] : NAN;
}

TEST(RowOps, BothGates) {
  struct Case {
    double aLog, bias, z, bounded, softplus;
  };
  double log2 = std::log(2), log16 = std::log(16);
  for (Case each : {Case{0, 0, 0, -2.5, -.693147181},
                    {0, 0, 3, -4.762870634, -3.048587352},
                    {0, 0, -3, -.237129366, -.048587352},
                    {log2, 0, 1, -4.40398539, -2.626523375},
                    {log16, 0, -1, -5.6267e-7, -5.012187},
                    {0, -4.6, 0, -.049759009, -.010001652},
                    {0, 10, 0, -4.999773011, -10.000045399},
                    {log16, 0, 2, -5.0, -34.030848}}) {
    EXPECT_NEAR(gate("map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64",
                     each.aLog, each.bias, each.z),
                each.bounded, 1e-9);
    EXPECT_NEAR(
        gate("map = #k3.gate_map<softplus>", each.aLog, each.bias, each.z),
        each.softplus, 5e-7);
  }
}

/// One op over arguments x, y of [?, 1].
static double pointwise(const std::string &op, double x, double y) {
  TestModule module("func.func @main(%x: tensor<?x1xf32> {k3.name = \"x\"},"
                    "%y: tensor<?x1xf32> {k3.name = \"y\"}) -> "
                    "(tensor<?x1xf32> {k3.name = \"r\"}) { %r = k3." +
                    op + "-> tensor<?x1xf32>\n return %r : tensor<?x1xf32>}");
  NamedTensors out =
      module.run({{"x", reals({1, 1}, {x})}, {"y", reals({1, 1}, {y})}});
  return out.count("r") ? out["r"]->reals[0] : NAN;
}

TEST(RowOps, SituAndSwiglu) {
  std::string operands = " : (tensor<?x1xf32>, tensor<?x1xf32>) ";
  std::string situ = "situ_glu %x, %y {beta = 4.0 : f64, linear_beta = 25.0 : "
                     "f64}" +
                     operands;
  struct Case {
    double gate, up, situ, swiglu;
  };
  for (Case each : {Case{0, 5, 0, 0},
                    {1, 1, .715817828, .731058579},
                    {-1, 2, -.525828896, -.537882843},
                    {10, 100, 98.590781554, 999.954602},
                    {-10, 100, -.004476015, -.045397869},
                    {4, -25, -56.959319511, -98.201379}}) {
    EXPECT_NEAR(pointwise(situ, each.gate, each.up), each.situ, 1e-8);
    EXPECT_NEAR(pointwise("swiglu %x, %y" + operands, each.gate, each.up),
                each.swiglu, 1e-6);
  }
  EXPECT_NEAR(pointwise("situ_glu %x, %y {beta = 1.0 : f64}" + operands, 30, 2),
              2, 1e-9);
  EXPECT_NEAR(pointwise("situ_glu %x, %y {beta = 1.0 : f64, linear_beta = "
                        "25.0 : f64}" +
                            operands,
                        30, 1000),
              25, 1e-9);
}

TEST(RowOps, BetaIsNotRounded) {
  EXPECT_NEAR(pointwise("sigmoid %x {scale = 1.0 : f64} : (tensor<?x1xf32>) ",
                        1.2345, 0),
              .774605209, 1e-9);
}

TEST(RowOps, L2NormOfZeroIsFinite) {
  EXPECT_EQ(pointwise("l2_norm %x {eps = 1.0e-6 : f64, scale = 1.0 : f64} : "
                      "(tensor<?x1xf32>) ",
                      0, 0),
            0);
}

TEST(RowOps, AttentionResidual) {
  std::string row = "tensor<?x4xf32>", vector = "tensor<4xf32>";
  TestModule module(
      "func.func @main(%a: " + row + " {k3.name = \"a\"}, %b: " + row +
      " {k3.name = \"b\"}, %p: " + row + " {k3.name = \"p\"}, %w: " + vector +
      " {k3.name = \"w\"}, %q: " + vector + " {k3.name = \"q\"}) -> (" + row +
      " {k3.name = \"o\"}) { %o = k3.attn_res %p, %w, %q blocks(%a, %b) {eps = "
      "1.0e-6 : f64} : (" +
      row + ", " + vector + ", " + vector + ", " + row + ", " + row + ") -> " +
      row + "\n return %o : " + row + "}");
  NamedTensors in = {{"a", reals({1, 4}, {1, 0, 0, 0})},
                     {"b", reals({1, 4}, {0, 2, 0, 0})},
                     {"p", reals({1, 4}, {1, 1, 1, 1})},
                     {"w", reals({4}, {1, .5, 0, 0})},
                     {"q", reals({4}, {1, 1, 1, 1})}};
  expectNear(module.run(in)["o"],
             {.813675932, .679844513, .307196377, .307196377}, 1e-9);
  in["q"] = filled({4}, 0);
  expectNear(module.run(in)["o"], {2 / 3., 1, 1 / 3., 1 / 3.}, 1e-12);
}

static NamedTensors route(int64_t experts, int64_t topK,
                          std::vector<double> logits, std::vector<double> bias,
                          int64_t groups = 1, int64_t topGroups = 1) {
  std::string e = std::to_string(experts), k = std::to_string(topK);
  std::string of = std::to_string(groups), open = std::to_string(topGroups);
  TestModule module(
      "func.func @main(%l: tensor<?x" + e +
      "xf32> {k3.name = \"l\"}, %b: "
      "tensor<" +
      e + "xf32> {k3.name = \"b\"}) -> (tensor<?x" + k +
      "xi32> {k3.name = \"ids\"}, tensor<?x" + k +
      "xf32> {k3.name = \"w\"}) {"
      "%i, %w = k3.router %l, %b {activation = \"sigmoid\", num_expert_group "
      "= " +
      of + ", renormalize = true, routed_scaling_factor = 1.0 : f64, top_k = " +
      k + ", topk_group = " + open + "} : (tensor<?x" + e + "xf32>, tensor<" +
      e + "xf32>) -> (tensor<?x" + k + "xi32>, tensor<?x" + k +
      "xf32>)\n return %i, %w : tensor<?x" + k + "xi32>, tensor<?x" + k +
      "xf32>}");
  return module.run({{"l", reals({1, experts}, std::move(logits))},
                     {"b", reals({experts}, std::move(bias))}});
}

TEST(RowOps, RouterSelectsByBiasAndWeighsWithout) {
  NamedTensors out = route(4, 2, {0, 1, 2, -1}, {.5, 0, 0, .6});
  // Biased: 1.0, .731, .881, .869.
  EXPECT_EQ(out["ids"]->integers, (std::vector<int32_t>{0, 2}));
  expectNear(out["w"], {.362109689, .637890311}, 1e-9);
  out = route(3, 1, {0, 1, 2}, {-3, -3, -3});
  EXPECT_EQ(out["ids"]->integers, (std::vector<int32_t>{2}));
}

TEST(RowOps, RouterScoresGroupsByTheirTwoBest) {
  // Sigmoids .9 .1 | .6 .55 | .3 .2: sums 1, 1.15, .5.
  std::vector<double> logits;
  for (double score : {.9, .1, .6, .55, .3, .2})
    logits.push_back(std::log(score / (1 - score)));
  std::vector<double> none(6, 0);
  using Ids = std::vector<int32_t>;
  // The best expert of all is in a group that is closed.
  NamedTensors out = route(6, 2, logits, none, 3, 1);
  EXPECT_EQ(out["ids"]->integers, (Ids{2, 3}));
  expectNear(out["w"], {.6 / 1.15, .55 / 1.15}, 1e-12);
  out = route(6, 2, logits, none, 3, 2);
  EXPECT_EQ(out["ids"]->integers, (Ids{0, 2}));
  expectNear(out["w"], {.9 / 1.5, .6 / 1.5}, 1e-12);
  // Bias opens a group, and stays out of the weights.
  out = route(6, 2, logits, {0, 0, 0, 0, 0, .9}, 3, 1);
  EXPECT_EQ(out["ids"]->integers, (Ids{5, 4}));
  expectNear(out["w"], {.4, .6}, 1e-12);
  // Closed experts stay closed where all biased scores are below zero.
  out = route(6, 2, logits, std::vector<double>(6, -3), 3, 1);
  EXPECT_EQ(out["ids"]->integers, (Ids{2, 3}));
  // Of equal groups, the first.
  out = route(4, 2, {0, 0, 0, 0}, {0, 0, 0, 0}, 2, 1);
  EXPECT_EQ(out["ids"]->integers, (Ids{0, 1}));
}

TEST(RowOps, RouterBreaksTiesByLowerIndex) {
  NamedTensors out =
      route(896, 16, std::vector<double>(896, .3), std::vector<double>(896, 0));
  for (int32_t j = 0; j < 16; ++j) {
    EXPECT_EQ(out["ids"]->integers[j], j);
    EXPECT_NEAR(out["w"]->reals[j], 1 / 16., 1e-15);
  }
}

TEST(RowOps, RouterNeverPrefersNaN) {
  NamedTensors out = route(3, 2, {NAN, -5, -9}, {0, 0, 0});
  EXPECT_EQ(out["ids"]->integers, (std::vector<int32_t>{1, 2}));
}

TEST(RowOps, Mxfp4Bytes) {
  int32_t byte = 0x52, scale = 128;
  double out[2];
  decodeMxfp4(&byte, &scale, 2, out);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 6);
  scale = 127;
  decodeMxfp4(&byte, &scale, 2, out);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 3);
  EXPECT_EQ(e8m0Value(0), std::ldexp(1, -127));
  EXPECT_TRUE(std::isnan(e8m0Value(255)));
  EXPECT_TRUE(std::signbit(e2m1Value(8)));
}
