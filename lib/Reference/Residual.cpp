// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and attention residuals.

#include "Frame.h"
#include "Scalar.h"
#include "Zip.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

LogicalResult k3::reference::evaluate(AddOp op, Frame &frame) {
  frame.set(op.getResult(), zip(frame[op.getLhs()], frame[op.getRhs()],
                                [](double a, double b) { return a + b; }));
  return success();
}

LogicalResult k3::reference::evaluate(AttnResOp op, Frame &frame) {
  SmallVector<const Tensor *> sources;
  for (Value block : op.getBlocks())
    sources.push_back(&frame[block]);
  sources.push_back(&frame[op.getPrefix()]);
  const Tensor &prefix = *sources.back();
  const Tensor &norm = frame[op.getNormWeight()], &query = frame[op.getQuery()];
  double eps = op.getEps().convertToDouble();
  int64_t width = prefix.shape.back();
  std::vector<double> key(width), shares(sources.size());
  for (int64_t i = 0; i < width; ++i)
    key[i] = norm.reals[i] * query.reals[i];

  Tensor out = Tensor::ofReals(prefix.shape);
  for (int64_t t = 0; t < prefix.rows(); ++t) {
    for (auto [source, share] : llvm::zip_equal(sources, shares)) {
      const double *row = source->row(t);
      share = dot(row, key.data(), width) /
              std::sqrt(dot(row, row, width) / width + eps);
    }
    double best = *llvm::max_element(shares), total = 0;
    for (double &share : shares)
      total += share = std::exp(share - best);
    for (auto [source, share] : llvm::zip_equal(sources, shares))
      for (int64_t i = 0; i < width; ++i)
        out.row(t)[i] += share / total * source->row(t)[i];
  }
  frame.set(op.getResult(), std::move(out));
  return success();
}
