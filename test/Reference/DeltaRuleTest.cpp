// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recurrence on small inputs with known answers.

#include "TestModule.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace k3::reference;

namespace {

/// `tokens` tokens of one sequence in slot 0.
NamedTensors oneSequence(int64_t tokens, bool isFresh) {
  return {{"bounds", integers({0, int32_t(tokens)})},
          {"places", integers({0})},
          {"lengths", integers({isFresh ? 0 : 1})}};
}

/// Two by two, three tokens.
NamedTensors twoByTwo() {
  return {{"q", reals({3, 1, 2}, {1, 0, 0, 1, .6, .8})},
          {"k", reals({3, 1, 2}, {1, 0, .6, .8, 0, 1})},
          {"v", reals({3, 1, 2}, {1, 2, 3, -1, -2, .5})},
          {"g", reals({3, 1, 2}, {-.1, -1, -.5, -.2, -2, -.05})},
          {"beta", reals({3, 1}, {.5, 1, .25})}};
}

std::vector<double> randoms(size_t count, unsigned seed, double low,
                            double high) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> values(low, high);
  std::vector<double> out(count);
  for (double &value : out)
    value = values(engine);
  return out;
}

} // namespace

TEST(DeltaRule, ScalarByHand) {
  TestModule module(deltaModule({1, 1, 1, 1, 1.0, false}));
  NamedTensors in = oneSequence(3, true);
  in["q"] = in["k"] = filled({3, 1, 1}, 1);
  in["v"] = reals({3, 1, 1}, {1, 2, 3});
  in["g"] = filled({3, 1, 1}, std::log(.5));
  in["beta"] = filled({3, 1}, .5);
  in["h0"] = filled({1, 1, 1, 1}, NAN); // fresh: not read
  NamedTensors out = module.run(in);
  expectNear(out["o"], {.5, 1.125, 1.78125}, 1e-15);
  expectNear(out["h"], {1.78125}, 1e-15);
}

TEST(DeltaRule, TwoByTwoWithAndWithoutState) {
  TestModule module(deltaModule({1, 1, 2, 2, std::sqrt(.5), false}));
  NamedTensors in = oneSequence(3, false);
  in.merge(twoByTwo());
  in["h0"] = reals({1, 1, 2, 2}, {1, 2, 3, 4});
  NamedTensors out = module.run(in);
  expectNear(out["o"],
             {.673461728, 1.346923455, 1.731002773, -.651135487, .804782639,
              -.326116075},
             1e-9);
  expectNear(out["h"], {.234940681, -.059395112, 1.246462644, -.531950885},
             1e-9);
  in["lengths"] = integers({0});
  out = module.run(in);
  expectNear(out["o"],
             {.353553391, .707106781, 1.594124609, -.771548757, .741480673,
              -.381803531},
             1e-9);
  expectNear(out["h"], {.269870709, -.028666771, 1.108361998, -.653439586},
             1e-9);
}

TEST(DeltaRule, StateLayouts) {
  for (bool vFirst : {false, true}) {
    TestModule module(deltaModule({1, 1, 2, 2, 1.0, vFirst}));
    NamedTensors in = oneSequence(1, false);
    in["k"] = in["v"] = filled({1, 1, 2}, 0);
    in["beta"] = filled({1, 1}, 0);
    in["g"] = reals({1, 1, 2}, {std::log(.5), 0});
    in["h0"] = vFirst ? reals({1, 1, 2, 2}, {1, 3, 2, 4})
                      : reals({1, 1, 2, 2}, {1, 2, 3, 4});
    in["q"] = reals({1, 1, 2}, {1, 0});
    NamedTensors out = module.run(in);
    expectNear(out["o"], {.5, 1}, 1e-15);
    expectNear(out["h"],
               vFirst ? std::vector<double>{.5, 3, 1, 4}
                      : std::vector<double>{.5, 1, 3, 4},
               1e-15);
    in["q"] = reals({1, 1, 2}, {0, 1});
    expectNear(module.run(in)["o"], {3, 4}, 1e-15);
  }
}

TEST(DeltaRule, SlowDecayOverManyTokens) {
  // beta = 0: S(T) = exp(g T).
  struct Case {
    int64_t tokens;
    double g, wanted;
  };
  TestModule module(deltaModule({1, 1, 1, 1, 1.0, false}));
  for (Case each : {Case{4096, -7.6e-5, .73249702},
                    {1, -.01, .990049834},
                    {63, -.01, .532591801},
                    {64, -.01, .527292424},
                    {65, -.01, .522045777},
                    {100, -.01, .367879441},
                    {127, -.01, .280831622},
                    {129, -.01, .275270783},
                    {1000, -.01, 4.539993e-5}}) {
    NamedTensors in = oneSequence(each.tokens, false);
    in["q"] = in["k"] = in["v"] = filled({each.tokens, 1, 1}, 1);
    in["beta"] = filled({each.tokens, 1}, 0);
    in["g"] = filled({each.tokens, 1, 1}, each.g);
    in["h0"] = filled({1, 1, 1, 1}, 1);
    expectNear(module.run(in)["h"], {each.wanted}, 5e-9);
  }
}

/// One unit key for all tokens; values 1, 2, ... when beta is 1, and all 1 when
/// not.
static NamedTensors oneKey(int64_t tokens, int64_t width, double beta,
                           std::vector<double> decays) {
  NamedTensors in = oneSequence(tokens, true);
  double along = 1 / std::sqrt(double(width));
  in["q"] = in["k"] = filled({tokens, 1, width}, along);
  std::vector<double> values;
  for (int64_t i = 0; i < tokens * width; ++i)
    values.push_back(beta == 1 ? double(i / width + 1) : 1);
  in["v"] = reals({tokens, 1, width}, values);
  std::vector<double> gates;
  for (int64_t i = 0; i < tokens * width; ++i)
    gates.push_back(decays[i % decays.size()]);
  in["g"] = reals({tokens, 1, width}, gates);
  in["beta"] = filled({tokens, 1}, beta);
  in["h0"] = filled({1, 1, width, width}, 0);
  return in;
}

TEST(DeltaRule, HardDecayForgetsAndReplaces) {
  // Products of decays reach exp(-325): nothing may divide by them.
  constexpr int64_t width = 128;
  TestModule module(deltaModule({1, 1, width, width, 1.0, false}));
  for (const std::vector<double> &decays :
       {std::vector<double>{-5}, {-3}, {-5, -1e-4}})
    for (int64_t tokens : {16, 17, 63, 64, 65}) {
      // beta = 1 leaves S^T k = v, whatever was forgotten.
      NamedTensors in = oneKey(tokens, width, 1, decays);
      NamedTensors out = module.run(in);
      expectNear(out["o"], in["v"]->reals, 1e-11);
      for (double value : out["h"]->reals)
        ASSERT_TRUE(std::isfinite(value));
      // One decay for all channels keeps the state along the key.
      if (decays.size() == 1)
        expectNear(
            out["h"],
            std::vector<double>(width * width, tokens / std::sqrt(width)),
            1e-11);
    }
  // beta = 1/2: x = e^-5 x / 2 + 1/2 along the key.
  NamedTensors out = module.run(oneKey(64, width, .5, {-5}));
  EXPECT_NEAR(out["o"]->reals.back(), .5016901809, 1e-10);
}

TEST(DeltaRule, EqualKeysAreReplacedExactly) {
  // g = 0, beta = 1, one unit key: the state holds the last value.
  for (int64_t tokens : {16, 32, 64}) {
    TestModule module(deltaModule({1, 1, 2, 1, 1.0, false}));
    NamedTensors in = oneSequence(tokens, true);
    Tensor key = Tensor::ofReals({tokens, 1, 2});
    std::vector<double> steps;
    for (int64_t t = 0; t < tokens; ++t) {
      key.row(t)[0] = .6;
      key.row(t)[1] = .8;
      steps.push_back(t + 1);
    }
    in["q"] = in["k"] = share(key);
    in["v"] = reals({tokens, 1, 1}, steps);
    in["g"] = filled({tokens, 1, 2}, 0);
    in["beta"] = filled({tokens, 1}, 1);
    in["h0"] = filled({1, 1, 2, 1}, 0);
    NamedTensors out = module.run(in);
    expectNear(out["o"], steps, 1e-12);
    expectNear(out["h"], {.6 * tokens, .8 * tokens}, 1e-12);
  }
}

TEST(DeltaRule, EmptySequencesKeepTheirStates) {
  TestModule module(deltaModule({1, 1, 2, 2, std::sqrt(.5), false}));
  NamedTensors in = twoByTwo();
  in["bounds"] = integers({0, 0, 1, 1, 3});
  in["places"] = integers({0, 1, 2, 3});
  in["lengths"] = integers({1, 1, 1, 1});
  in["h0"] =
      reals({4, 1, 2, 2}, {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
  NamedTensors out = module.run(in);
  expectNear(out["h"],
             {1, 2, 3, 4, .952418709, 1.904837418, 1.103638324, 1.471517765, 1,
              2, 3, 4, .136581361, -.188874436, 1.635339667, -.020036672},
             1e-9);
  expectNear(out["o"],
             {.673461728, 1.346923455, 2.116437415, -.143752793, .983034378,
              -.091467090},
             1e-9);
}

TEST(DeltaRule, NoTokensAtAll) {
  TestModule module(deltaModule({1, 1, 2, 2, 1.0, false}));
  NamedTensors in;
  in["q"] = in["k"] = in["v"] = in["g"] = reals({0, 1, 2}, {});
  in["beta"] = reals({0, 1}, {});
  in["bounds"] = integers({0, 0, 0});
  in["places"] = integers({0, 1});
  in["lengths"] = integers({1, 0});
  in["h0"] = filled({2, 1, 2, 2}, 7);
  // The resumed one keeps its slot, the fresh one's is zeroed.
  expectNear(module.run(in)["h"], {7, 7, 7, 7, 0, 0, 0, 0}, 0);
}

TEST(DeltaRule, GroupedValuesEqualRepeatedQueries) {
  for (auto [heads, valueHeads] : {std::pair{16, 32}, {2, 8}}) {
    constexpr int64_t tokens = 24, width = 16;
    int64_t group = valueHeads / heads;
    Tensor q = Tensor::ofReals({tokens, heads, width},
                               randoms(tokens * heads * width, 1, -1, 1));
    Tensor k = Tensor::ofReals({tokens, heads, width},
                               randoms(tokens * heads * width, 2, -.3, .3));
    auto repeated = [&](const Tensor &x) {
      Tensor out = Tensor::ofReals({tokens, valueHeads, width});
      for (int64_t i = 0; i < out.count(); ++i) {
        int64_t token = i / (valueHeads * width);
        int64_t head = i / width % valueHeads / group;
        out.reals[i] = x.row(token)[head * width + i % width];
      }
      return share(std::move(out));
    };
    NamedTensors in = oneSequence(tokens, true);
    int64_t all = tokens * valueHeads * width;
    in["v"] = reals({tokens, valueHeads, width}, randoms(all, 3, -1, 1));
    in["g"] = reals({tokens, valueHeads, width}, randoms(all, 4, -1, 0));
    in["beta"] =
        reals({tokens, valueHeads}, randoms(tokens * valueHeads, 5, 0, 1));
    in["h0"] = filled({1, valueHeads, width, width}, 0);
    in["q"] = share(q);
    in["k"] = share(k);
    NamedTensors grouped =
        TestModule(deltaModule({heads, valueHeads, width, width, 1, false}))
            .run(in);
    in["q"] = repeated(q);
    in["k"] = repeated(k);
    NamedTensors whole = TestModule(deltaModule({valueHeads, valueHeads, width,
                                                 width, 1, false}))
                             .run(in);
    expectNear(grouped["o"], whole["o"]->reals, 0);
    expectNear(grouped["h"], whole["h"]->reals, 0);
  }
}
