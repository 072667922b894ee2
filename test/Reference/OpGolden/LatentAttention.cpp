// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latent attention over a cache that is partly filled, whole and absorbed.

#include "Cases.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::golden;

/// kv_b: for each head the rows of W_kb, then those of W_vb.
static Tensor interleaved(const Tensor &keys, const Tensor &values) {
  int64_t heads = keys.shape[0], latent = keys.shape[2];
  Tensor out =
      Tensor::ofReals({heads * (keys.shape[1] + values.shape[1]), latent});
  double *to = out.reals.data();
  for (int64_t h = 0; h < heads; ++h)
    for (const Tensor *part : {&keys, &values})
      to = std::copy_n(part->row(h), part->rowSize(), to);
  return out;
}

/// Positions [begin, end) of [B, S, D] as [B * (end - begin), D].
static Tensor positions(const Tensor &x, int64_t begin, int64_t end) {
  int64_t width = x.shape[2];
  Tensor out = Tensor::ofReals({x.shape[0] * (end - begin), width});
  for (int64_t b = 0; b < x.shape[0]; ++b)
    std::copy(x.row(b) + begin * width, x.row(b) + end * width,
              out.reals.data() + b * (end - begin) * width);
  return out;
}

/// The cache before the call: [B, S, L + R] with the first `held` rows set.
static Tensor cacheOf(const Tensor &latent, const Tensor &kRot, int64_t held) {
  int64_t l = latent.shape[2], r = kRot.shape[2];
  Tensor out = Tensor::ofReals({latent.shape[0], latent.shape[1], l + r});
  for (int64_t b = 0; b < latent.shape[0]; ++b)
    for (int64_t s = 0; s < held; ++s) {
      double *to = out.row(b) + s * (l + r);
      to = std::copy_n(latent.row(b) + s * l, l, to);
      std::copy_n(kRot.row(b) + s * r, r, to);
    }
  return out;
}

static RankedTensorType dynamicCache(CaseBuilder &build, int64_t width) {
  return build.rowsType({ShapedType::kDynamic, width});
}

static void addRun(ManifestCase &entry, CaseList &list, bool absorbed) {
  CaseBuilder build = list.begin(entry, absorbed ? "_absorbed" : "");
  OpBuilder &b = build.builder();
  int64_t batch = entry.number("B"), tokens = entry.number("T");
  int64_t all = entry.number("S"), nope = entry.number("nope");
  int64_t rot = entry.number("rot"), latent = entry.number("lora");
  int64_t heads = entry.number("H"), width = entry.number("v");
  Tensor c = entry.input("c"), kRot = entry.input("k_rot");
  Value q = build.rows("q", packed(entry.input("q")));
  Value kvB = build.fixed(
      "kv_b", interleaved(entry.input("W_kb"), entry.input("W_vb")));
  Value latentRows = build.rows("latent", positions(c, all - tokens, all));
  Value rotRows = build.rows("k_rot", positions(kRot, all - tokens, all));
  Value cache = build.rows("cache", cacheOf(c, kRot, all - tokens));
  cache.setType(dynamicCache(build, latent + rot));
  build.sequences(batch, tokens, int32_t(all - tokens));
  Value filled = LatentAppendOp::create(
      b, build.loc(), cache.getType(), latentRows, rotRows, cache,
      build.cuSeqlens, build.slots, build.contextLens);
  IntegerAttr nopeAttr = b.getI64IntegerAttr(nope);
  FloatAttr scale = b.getF64FloatAttr(1 / std::sqrt(double(nope + rot)));
  Value o;
  if (absorbed) {
    Value ql = AbsorbQueryOp::create(b, build.loc(),
                                     build.fp32Type({heads, latent + rot}), q,
                                     kvB, nopeAttr);
    Value context = LatentAttendOp::create(
        b, build.loc(), build.fp32Type({heads, latent}), ql, filled,
        build.cuSeqlens, build.slots, build.contextLens, scale);
    o = AbsorbValueOp::create(b, build.loc(), build.rowsType({heads, width}),
                              context, kvB, nopeAttr);
  } else {
    o = LatentAttentionOp::create(
        b, build.loc(), build.rowsType({heads, width}), q, kvB, filled,
        build.cuSeqlens, build.slots, build.contextLens, nopeAttr, scale);
  }
  build.result("o", o, packed(entry.output("o")));
  build.result("new_cache", filled, cacheOf(c, kRot, all));
  list.end(entry, build);
}

bool k3::golden::addLatentAttention(ManifestCase &entry, CaseList &list) {
  if (entry.model() != "mla")
    return false;
  addRun(entry, list, false);
  addRun(entry, list, true);
  return true;
}
