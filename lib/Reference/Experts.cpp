// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routed experts. Work is sorted by expert, so that each expert's weights
// are decoded once.

#include "Frame.h"
#include "Scalar.h"
#include "k3/Reference/Mxfp4.h"

#include "llvm/Support/Parallel.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

namespace {

/// One stacked weight [E, N, K], float or MXFP4.
struct ExpertWeight {
  const Tensor &weight;
  const Tensor *scales; // null for float

  int64_t outputs() const { return weight.shape[1]; }
  int64_t inputs() const { return weight.shape[2] * (scales ? 2 : 1); }

  std::vector<double> of(int64_t expert) const {
    int64_t count = outputs() * inputs();
    std::vector<double> out(count);
    if (scales)
      decodeMxfp4(weight.integers.data() + expert * count / 2,
                  scales->integers.data() + expert * count / mxfp4Block, count,
                  out.data());
    else
      std::copy_n(weight.row(expert), count, out.data());
    return out;
  }
};

/// The unit between the two halves.
struct Unit {
  GluKind kind = GluKind::Situ;
  double beta = 1;
  std::optional<double> linearBeta = std::nullopt;

  double operator()(double gate, double up) const {
    return kind == GluKind::Situ ? situ(gate, up, beta, linearBeta)
                                 : swiglu(gate, up);
  }
};

template <class Op> Unit unitOf(Op op) {
  Unit unit{op.getGlu()};
  if (op.getBeta())
    unit.beta = op.getBeta()->convertToDouble();
  if (op.getLinearBeta())
    unit.linearBeta = op.getLinearBeta()->convertToDouble();
  return unit;
}

} // namespace

/// Places (t * top_k + j) of `ids`, by expert.
static FailureOr<std::vector<std::vector<int64_t>>>
placesOf(Operation *op, const Tensor &ids, int64_t experts) {
  std::vector<std::vector<int64_t>> places(experts);
  for (auto [place, id] : llvm::enumerate(ids.integers)) {
    if (id < 0 || id >= experts)
      return op->emitError("expert ")
             << id << " lies outside the " << experts << " experts";
    places[id].push_back(place);
  }
  return places;
}

/// [T, top_k, F]: glu(w1 z, w3 z).
static FailureOr<Tensor> up(Operation *op, const Tensor &z, const Tensor &ids,
                            ExpertWeight w1, ExpertWeight w3, Unit unit) {
  auto places = placesOf(op, ids, w1.weight.rows());
  if (failed(places))
    return failure();
  int64_t topK = ids.shape[1], width = w1.outputs(), inputs = w1.inputs();
  Tensor out = Tensor::ofReals({ids.rows(), topK, width});
  llvm::parallelFor(0, places->size(), [&](size_t expert) {
    if ((*places)[expert].empty())
      return;
    std::vector<double> gate = w1.of(expert), linear = w3.of(expert);
    for (int64_t place : (*places)[expert]) {
      const double *x = z.row(place / topK);
      for (int64_t n = 0; n < width; ++n)
        out.reals[place * width + n] =
            unit(dot(x, gate.data() + n * inputs, inputs),
                 dot(x, linear.data() + n * inputs, inputs));
    }
  });
  return out;
}

/// [T, L]: sum_j weights[t, j] * w2 h[t, j].
static FailureOr<Tensor> down(Operation *op, const Tensor &h, const Tensor &ids,
                              const Tensor &weights, ExpertWeight w2) {
  auto places = placesOf(op, ids, w2.weight.rows());
  if (failed(places))
    return failure();
  int64_t topK = ids.shape[1], width = w2.outputs(), inputs = w2.inputs();
  Tensor each = Tensor::ofReals({ids.count(), width});
  llvm::parallelFor(0, places->size(), [&](size_t expert) {
    if ((*places)[expert].empty())
      return;
    std::vector<double> matrix = w2.of(expert);
    for (int64_t place : (*places)[expert])
      for (int64_t n = 0; n < width; ++n)
        each.row(place)[n] = dot(h.reals.data() + place * inputs,
                                 matrix.data() + n * inputs, inputs);
  });
  Tensor out = Tensor::ofReals({ids.rows(), width});
  for (int64_t place = 0; place < ids.count(); ++place)
    for (int64_t n = 0; n < width; ++n)
      out.row(place / topK)[n] += weights.reals[place] * each.row(place)[n];
  return out;
}

static const Tensor *scaleOf(OperandRange scales, unsigned index,
                             const Frame &frame) {
  return scales.empty() ? nullptr : &frame[scales[index]];
}

LogicalResult k3::reference::evaluate(ExpertUpOp op, Frame &frame) {
  ExpertWeight w1{frame[op.getW1()], scaleOf(op.getScales(), 0, frame)};
  ExpertWeight w3{frame[op.getW3()], scaleOf(op.getScales(), 1, frame)};
  FailureOr<Tensor> out =
      up(op, frame[op.getZ()], frame[op.getIds()], w1, w3, unitOf(op));
  if (failed(out))
    return failure();
  frame.set(op.getResult(), std::move(*out));
  return success();
}

LogicalResult k3::reference::evaluate(ExpertDownOp op, Frame &frame) {
  ExpertWeight w2{frame[op.getW2()], scaleOf(op.getScales(), 0, frame)};
  FailureOr<Tensor> out = down(op, frame[op.getH()], frame[op.getIds()],
                               frame[op.getWeights()], w2);
  if (failed(out))
    return failure();
  frame.set(op.getResult(), std::move(*out));
  return success();
}

LogicalResult k3::reference::evaluate(LatentExpertsOp op, Frame &frame) {
  ExpertWeight w1{frame[op.getW1()], scaleOf(op.getScales(), 0, frame)};
  ExpertWeight w3{frame[op.getW3()], scaleOf(op.getScales(), 1, frame)};
  ExpertWeight w2{frame[op.getW2()], scaleOf(op.getScales(), 2, frame)};
  const Tensor &ids = frame[op.getIds()];
  FailureOr<Tensor> h = up(op, frame[op.getZ()], ids, w1, w3, unitOf(op));
  if (failed(h))
    return failure();
  FailureOr<Tensor> out = down(op, *h, ids, frame[op.getWeights()], w2);
  if (failed(out))
    return failure();
  frame.set(op.getResult(), std::move(*out));
  return success();
}
