// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.expert_up and k3.expert_down: products of one row with the panels of the
// experts it chose. MXFP4 weights are widened as they are read.

#include "Anchors.h"
#include "ExpertPanel.h"

using namespace mlir;

namespace k3 {

namespace {
constexpr int64_t panelsOfGroup = 2; // panels of one workgroup
} // namespace

static int64_t dimSize(Value tensor, unsigned dim) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
}

/// fp32 constant broadcast over a panel.
static Value splat(VectorMath &math, double value) {
  return math.splat(value, panelWidth);
}

/// beta * tanh(g / beta) * sigmoid(g) * linear_beta * tanh(u / linear_beta).
static Value situ(VectorMath &math, Value gate, Value up, double beta,
                  std::optional<double> linearBeta) {
  auto bounded = [&](Value x, double bound) {
    Value inner = math.tanh(math.divF(x, splat(math, bound)));
    return math.mulF(splat(math, bound), inner);
  };
  Value left = math.mulF(bounded(gate, beta), math.sigmoid(gate));
  return math.mulF(left, linearBeta ? bounded(up, *linearBeta) : up);
}

FailureOr<KernelGrid> lowerExpertUp(KernelFrame &frame, ExpertUpOp op) {
  VectorMath math(frame);
  bool mx = !op.getScales().empty();
  Packing packing = op.getPacking().value_or(Packing::None);
  FailureOr<ExpertPanel> gate = ExpertPanel::create(
      math, op, op.getW1(), mx ? op.getScales()[0] : Value(), packing);
  FailureOr<ExpertPanel> up = ExpertPanel::create(
      math, op, op.getW3(), mx ? op.getScales()[1] : Value(), packing);
  if (failed(gate) || failed(up))
    return failure();
  int64_t topK = dimSize(op.getIds(), 1), width = dimSize(op.getW1(), 1);
  int64_t groups = llvm::divideCeil(width, panelWidth * panelsOfGroup);
  Value group = math.rem(frame.workgroup(), groups);
  Value choice = math.div(frame.workgroup(), groups);
  Value t = math.div(choice, topK), j = math.rem(choice, topK);
  Value expert = math.loadIndex(frame.bufferOf(op.getIds()), {t, j});
  Value z = frame.bufferOf(op.getZ()), result = frame.bufferOf(op.getResult());
  Type rounding = cast<RankedTensorType>(op.getZ().getType()).getElementType();
  Value first = math.mul(group, panelsOfGroup);
  Value last = math.min(math.add(first, panelsOfGroup),
                        math.index(llvm::divideCeil(width, panelWidth)));
  math.loop(first, last, 1, [&](Value panel) {
    Value g = math.roundTo(gate->product(z, {t}, expert, panel), rounding);
    Value u = math.roundTo(up->product(z, {t}, expert, panel), rounding);
    std::optional<double> linearBeta;
    if (op.getLinearBeta())
      linearBeta = op.getLinearBeta()->convertToDouble();
    Value h =
        op.getGlu() == GluKind::Situ
            ? situ(math, g, u, op.getBeta()->convertToDouble(), linearBeta)
            : math.mulF(math.silu(g), u);
    storePanel(math, h, result, {t, j}, panel, width);
  });
  return KernelGrid{op.getZ(), 0, 1, topK * groups};
}

FailureOr<KernelGrid> lowerExpertDown(KernelFrame &frame, ExpertDownOp op) {
  VectorMath math(frame);
  Packing packing = op.getPacking().value_or(Packing::None);
  FailureOr<ExpertPanel> down = ExpertPanel::create(
      math, op, op.getW2(),
      op.getScales().empty() ? Value() : op.getScales()[0], packing);
  if (failed(down))
    return failure();
  int64_t topK = dimSize(op.getIds(), 1), latent = dimSize(op.getResult(), 1);
  int64_t groups = llvm::divideCeil(latent, panelWidth * panelsOfGroup);
  Value t = math.div(frame.workgroup(), groups);
  Value group = math.rem(frame.workgroup(), groups);
  Value ids = frame.bufferOf(op.getIds());
  Value weights = frame.bufferOf(op.getWeights());
  Value h = frame.bufferOf(op.getH()), result = frame.bufferOf(op.getResult());
  Type rounding = cast<RankedTensorType>(op.getH().getType()).getElementType();
  Value first = math.mul(group, panelsOfGroup);
  Value last = math.min(math.add(first, panelsOfGroup),
                        math.index(llvm::divideCeil(latent, panelWidth)));
  math.loop(first, last, 1, [&](Value panel) {
    Value sum =
        math.loop(math.index(0), math.index(topK), 1, {splat(math, 0.0)},
                  [&](Value j, ValueRange carried) -> VectorMath::Values {
                    Value expert = math.loadIndex(ids, {t, j});
                    Value e = math.roundTo(
                        down->product(h, {t, j}, expert, panel), rounding);
                    Value weight = math.loadSplat(weights, {t, j}, panelWidth);
                    return {math.fma(weight, e, carried[0])};
                  })
            .front();
    storePanel(math, sum, result, {t}, panel, latent);
  });
  return KernelGrid{op.getH(), 0, 1, groups};
}

} // namespace k3
