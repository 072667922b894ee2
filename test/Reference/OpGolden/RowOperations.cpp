// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms and attention residuals.

#include "Cases.h"

using namespace mlir;
using namespace k3;
using namespace k3::golden;

static void addGatedNorm(ManifestCase &entry, CaseList &list) {
  CaseBuilder build = list.begin(entry);
  OpBuilder &b = build.builder();
  Value x = build.rows("x", packed(entry.input("x")));
  Value gate = build.rows("g", packed(entry.input("g")));
  Value weight = build.fixed("w", entry.input("w"));
  Activation activation = entry.text("activation") == "sigmoid"
                              ? Activation::Sigmoid
                              : Activation::Silu;
  Value y =
      GatedRMSNormOp::create(b, build.loc(), x.getType(), x, gate, weight,
                             b.getF64FloatAttr(entry.number("eps")),
                             ActivationAttr::get(b.getContext(), activation));
  build.result("o", y, packed(entry.output("o")));
  list.end(entry, build);
}

static void addL2Norm(ManifestCase &entry, CaseList &list) {
  CaseBuilder build = list.begin(entry);
  OpBuilder &b = build.builder();
  for (const char *suffix : {"", "_tiny"}) {
    std::string name = std::string("x") + suffix;
    Value x = build.rows(name, packed(entry.input(name)));
    Value y = L2NormOp::create(b, build.loc(), x.getType(), x,
                               b.getF64FloatAttr(entry.number("eps")),
                               b.getF64FloatAttr(1));
    name = std::string("y") + suffix;
    build.result(name, y, packed(entry.output(name)));
  }
  list.end(entry, build);
}

/// Source `index` of [L, B, T, D], as [B * T, D].
static Tensor source(const Tensor &all, int64_t index) {
  int64_t width = all.shape[3], size = all.rowSize();
  const double *begin = all.row(index);
  return Tensor::ofReals({size / width, width},
                         std::vector<double>(begin, begin + size));
}

static void addAttnRes(ManifestCase &entry, CaseList &list) {
  CaseBuilder build = list.begin(entry);
  OpBuilder &b = build.builder();
  Tensor all = entry.input("sources");
  SmallVector<Value> sources;
  for (int64_t i = 0; i < all.rows(); ++i)
    sources.push_back(build.rows("source" + std::to_string(i), source(all, i)));
  Value prefix = sources.pop_back_val();
  Value gamma = build.fixed("gamma", entry.input("gamma"));
  Value query = build.fixed("query", entry.input("query"));
  FloatAttr eps = b.getF64FloatAttr(entry.number("eps"));
  Value y = AttnResOp::create(b, build.loc(), prefix.getType(), prefix, gamma,
                              query, sources, eps);
  if (entry.hasInput("out_gamma"))
    y = RMSNormOp::create(b, build.loc(), y.getType(), y,
                          build.fixed("out_gamma", entry.input("out_gamma")),
                          eps, b.getBoolAttr(false));
  build.result("o", y, packed(entry.output("o")));
  list.end(entry, build);
}

bool k3::golden::addRowOperation(ManifestCase &entry, CaseList &list) {
  if (entry.model() == "gated_rmsnorm")
    addGatedNorm(entry, list);
  else if (entry.model() == "l2norm")
    addL2Norm(entry, list);
  else if (entry.model() == "attnres")
    addAttnRes(entry, list);
  else
    return false;
  return true;
}
