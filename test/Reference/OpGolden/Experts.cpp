// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The router, and MXFP4 weights seen through the second half of an expert.

#include "Cases.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::golden;

static void addRouter(ManifestCase &entry, CaseList &list) {
  CaseBuilder build = list.begin(entry);
  OpBuilder &b = build.builder();
  Value x = build.rows("x", entry.input("x"));
  Tensor matrix = entry.input("W");
  int64_t experts = matrix.rows(), topK = entry.number("top_k");
  Value weight = build.fixed("W", std::move(matrix));
  Value bias = build.fixed("bias", entry.input("bias"));
  Value logits = LinearOp::create(b, build.loc(), build.fp32Type({experts}), x,
                                  weight, PackingAttr());
  Value scores = SigmoidOp::create(b, build.loc(), logits.getType(), logits,
                                   b.getF64FloatAttr(1));
  auto router = RouterOp::create(
      b, build.loc(),
      RankedTensorType::get({ShapedType::kDynamic, topK}, b.getI32Type()),
      build.fp32Type({topK}), logits, bias, b.getStringAttr("sigmoid"),
      b.getI64IntegerAttr(topK), b.getI64IntegerAttr(entry.number("n_group")),
      b.getI64IntegerAttr(entry.number("topk_group")), b.getBoolAttr(true),
      b.getF64FloatAttr(entry.number("routed_scaling_factor")));
  build.result("scores", scores, entry.output("scores"));
  // The golden experts are in rising order, the op's best first; comparing
  // sums over one-hot experts is independent of the order.
  Tensor ids = entry.output("indices"), weights = entry.output("weights");
  Tensor perExpert = Tensor::ofReals({ids.rows(), experts});
  for (int64_t i = 0; i < ids.count(); ++i)
    perExpert.row(i / topK)[ids.integers[i]] = weights.reals[i];
  Tensor ones = Tensor::ofReals({ids.rows(), topK, 1});
  std::fill(ones.reals.begin(), ones.reals.end(), 1);
  Tensor oneHot = Tensor::ofReals({experts, experts, 1});
  for (int64_t e = 0; e < experts; ++e)
    oneHot.row(e)[e] = 1;
  Value spread = ExpertDownOp::create(
      b, build.loc(), build.fp32Type({experts}),
      build.fp32("ones", std::move(ones)), router.getIds(), router.getWeights(),
      build.weight("one_hot", std::move(oneHot)), ValueRange(), PackingAttr());
  build.result("per_expert", spread, std::move(perExpert));
  list.end(entry, build);
}

/// Rows of the identity pick the columns of the weight.
static void addMxfp4(ManifestCase &entry, CaseList &list) {
  Tensor bytes = entry.input("packed"), scale = entry.input("scale");
  Tensor golden = entry.output("w");
  for (double value : golden.reals)
    if (!std::isfinite(value)) // would spread over the product's whole row
      return;
  CaseBuilder build = list.begin(entry);
  OpBuilder &b = build.builder();
  int64_t outputs = golden.shape[0], inputs = golden.shape[1];
  Tensor identity = Tensor::ofReals({inputs, 1, inputs});
  Tensor transposed = Tensor::ofReals({inputs, outputs});
  for (int64_t i = 0; i < inputs; ++i) {
    identity.row(i)[i] = 1;
    for (int64_t n = 0; n < outputs; ++n)
      transposed.row(i)[n] = golden.row(n)[i];
  }
  Tensor weights = Tensor::ofReals({inputs, 1});
  std::fill(weights.reals.begin(), weights.reals.end(), 1);
  Value h = build.fp32("h", std::move(identity));
  Value ids = build.indices("ids", Tensor::ofIntegers({inputs, 1}));
  Value ones = build.fp32("weights", std::move(weights));
  Value w2 = build.weight("packed", reshaped(bytes, {1, outputs, inputs / 2}));
  Value s2 = build.weight("scale", reshaped(scale, {1, outputs, inputs / 32}));
  Value y = ExpertDownOp::create(b, build.loc(), build.fp32Type({outputs}), h,
                                 ids, ones, w2, ValueRange(s2), PackingAttr());
  build.result("w", y, std::move(transposed));
  list.end(entry, build);
}

bool k3::golden::addExperts(ManifestCase &entry, CaseList &list) {
  if (entry.model() == "router")
    addRouter(entry, list);
  else if (entry.model() == "mxfp4")
    addMxfp4(entry, list);
  else
    return false;
  return true;
}
