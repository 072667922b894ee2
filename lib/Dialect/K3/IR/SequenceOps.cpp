// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the ops that look along a sequence: convolution, recurrence,
// latent attention.

#include "Check.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace k3;

LogicalResult ShortConvOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "y", getY(), getX()))) // C1
    return failure();
  int64_t channels = dimOf(getX(), 1), width = dimOf(getWeight(), 1);
  if (dimOf(getWeight(), 0) != channels || width < 2 || width > 8) // C2
    return emitOpError("'weight' must be [")
           << channels << ", W] with 2 <= W <= 8, got "
           << getWeight().getType();
  int64_t kept = dimOf(getState(), 2);
  if (dimOf(getState(), 1) != channels ||
      (kept != width - 1 && kept != width)) // C3
    return emitOpError("'state' must be [P, ")
           << channels << ", " << width - 1 << " or " << width << "], got "
           << getState().getType();
  if (failed(checkSameType(*this, "new_state", getNewState(),
                           getState()))) // C3
    return failure();
  if (getBias() &&
      failed(checkShape(*this, "bias", getBias(), {channels}))) // C4
    return failure();
  return checkSequences(*this, getCuSeqlens(), getSlots(),
                        getContextLens()); // C5
}

SmallVector<std::pair<unsigned, unsigned>> ShortConvOp::getUpdates() {
  return {{getStateMutable().getOperandNumber(), 1}};
}

/// C3: `g` fits the decay.
static LogicalResult checkDecay(DeltaRuleOp op, int64_t tokens, int64_t heads,
                                int64_t keyWidth) {
  Decay decay = op.getDecay();
  if ((decay == Decay::None) == bool(op.getG()))
    return op.emitOpError("'g' is given unless decay is 'none'");
  if (decay == Decay::HeadConstant)
    return checkShape(op, "g", op.getG(), {heads});
  if (decay == Decay::Head)
    return checkShape(op, "g", op.getG(), {tokens, heads});
  if (decay == Decay::Channel)
    return checkShape(op, "g", op.getG(), {tokens, heads, keyWidth});
  return success();
}

/// C5: an erase vector has the query's or the value's heads.
static LogicalResult checkEraseVector(DeltaRuleOp op, StringRef name,
                                      Value value, bool wanted,
                                      int64_t valueHeads) {
  if (bool(value) != wanted)
    return op.emitOpError("'")
           << name << "' is " << (wanted ? "" : "not ") << "wanted for erase '"
           << stringifyErase(op.getErase()) << "'";
  if (!value)
    return success();
  SmallVector<int64_t> want(tensorOf(op.getQ()).getShape());
  if (dimOf(value, 1) == valueHeads)
    want[1] = valueHeads;
  return checkShape(op, name, value, want);
}

/// C4, C6: which of `k` and `beta` are given.
static LogicalResult checkGiven(DeltaRuleOp op) {
  bool keyErase =
      op.getErase() == Erase::Delta || op.getErase() == Erase::OwnKey;
  bool wantsBeta = keyErase || op.getWrite() == Write::BetaValue;
  if (bool(op.getBeta()) != wantsBeta) // C4
    return op.emitOpError("'beta' is ")
           << (wantsBeta ? "" : "not ") << "wanted for erase '"
           << stringifyErase(op.getErase()) << "' and write '"
           << stringifyWrite(op.getWrite()) << "'";
  bool tied = op.getWrite() == Write::TiedKey;
  if (bool(op.getK()) == tied) // C6
    return op.emitOpError("'k' is ")
           << (tied ? "not " : "") << "wanted for write '"
           << stringifyWrite(op.getWrite()) << "'";
  if (tied && (op.getDecay() != Decay::Channel || keyErase)) // C6
    return op.emitOpError("write 'tied_key' needs decay 'channel' and erase "
                          "'none' or 'low_rank'");
  return success();
}

LogicalResult DeltaRuleOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t tokens = dimOf(getQ(), 0), heads = dimOf(getQ(), 1);
  int64_t keyWidth = dimOf(getQ(), 2), valueHeads = dimOf(getV(), 1);
  int64_t valueWidth = dimOf(getV(), 2);
  if (getK() && failed(checkSameShape(*this, "k", getK(), getQ()))) // C1
    return failure();
  if (dimOf(getV(), 0) != tokens || heads == 0 || valueHeads % heads != 0) // C2
    return emitOpError("'v' must be [T, HV, V] with HV a multiple of ")
           << heads << ", got " << getV().getType();
  if (failed(checkSameShape(*this, "o", getO(), getV()))) // C2
    return failure();
  if (failed(checkDecay(*this, tokens, valueHeads, keyWidth)) ||
      failed(checkGiven(*this)))
    return failure();
  if (getBeta() &&
      failed(checkShape(*this, "beta", getBeta(), {tokens, valueHeads}))) // C4
    return failure();
  bool lowRank = getErase() == Erase::LowRank;
  if (failed(checkEraseVector(*this, "a", getA(),
                              lowRank || getErase() == Erase::OwnKey,
                              valueHeads)) ||
      failed(checkEraseVector(*this, "b", getB(), lowRank, valueHeads)))
    return failure();
  int64_t pool = dimOf(getState(), 0);
  SmallVector<int64_t> want = {pool, valueHeads, keyWidth, valueWidth};
  if (getStateVFirst())
    std::swap(want[2], want[3]);
  if (failed(checkShape(*this, "state", getState(), want)) || // C7
      failed(checkSameType(*this, "new_state", getNewState(), getState())))
    return failure();
  if (bool(getNormalizerState()) != getNormalizerEps().has_value() ||
      bool(getNewNormalizerState()) != getNormalizerEps().has_value()) // C8
    return emitOpError("'normalizer_state' and its result are given exactly "
                       "with normalizer_eps");
  if (getNormalizerState() &&
      (failed(checkShape(*this, "normalizer_state", getNormalizerState(),
                         {pool, valueHeads, keyWidth})) ||
       failed(checkSameType(*this, "new_normalizer_state",
                            getNewNormalizerState(), getNormalizerState()))))
    return failure();
  if (!getScale().isFinite()) // C9
    return emitOpError("scale must be finite, got ")
           << getScale().convertToDouble();
  bool blocked = keyWidth % 8 == 0 && valueWidth % 8 == 0 && keyWidth > 0 &&
                 valueWidth > 0 && keyWidth <= 512 && valueWidth <= 512;
  bool tiny = keyWidth > 0 && valueWidth > 0 && keyWidth < 8 && valueWidth < 8;
  if (!blocked && !tiny) // C10
    return emitOpError("head sizes K = ")
           << keyWidth << ", V = " << valueWidth
           << " are not supported; supported: multiples of 8 up to 512, or "
              "both below 8";
  return checkSequences(*this, getCuSeqlens(), getSlots(), getContextLens());
}

SmallVector<std::pair<unsigned, unsigned>> DeltaRuleOp::getUpdates() {
  SmallVector<std::pair<unsigned, unsigned>> updates = {
      {getStateMutable().getOperandNumber(), 1}};
  if (getNormalizerState())
    updates.push_back({getNormalizerStateMutable()[0].getOperandNumber(), 2});
  return updates;
}

LogicalResult LatentAppendOp::verify() {
  if (failed(checkSameType(*this, "new_cache", getNewCache(),
                           getCache())) || // C1
      failed(checkRowsStatic(*this, getCache().getType())))
    return failure();
  int64_t row = dimOf(getLatent(), 1) + dimOf(getKRot(), 1);
  if (dimOf(getLatent(), 0) != dimOf(getKRot(), 0) ||
      dimOf(getCache(), 2) != row) // C1
    return emitOpError("'cache' must be [P, C, ")
           << row << "] for rows of both, got " << getCache().getType();
  return checkSequences(*this, getCuSeqlens(), getSlots(), getContextLens());
}

SmallVector<std::pair<unsigned, unsigned>> LatentAppendOp::getUpdates() {
  return {{getCacheMutable().getOperandNumber(), 0}};
}

/// Fails unless `qk_nope_head_dim` lies in [1, width).
static LogicalResult checkNope(Operation *op, int64_t nope, int64_t width) {
  if (nope > 0 && nope < width)
    return success();
  return op->emitOpError("qk_nope_head_dim must lie in [1, ")
         << width << "), got " << nope;
}

/// Sizes of one head of `kv_b`; fails unless H * (Dn + V) rows fit.
static LogicalResult checkKvB(Operation *op, Value kvB, int64_t heads,
                              int64_t nope, int64_t value, int64_t latent) {
  int64_t rows = 0;
  if (heads <= 0 || value <= 0 || llvm::MulOverflow(heads, nope + value, rows))
    return op->emitOpError("heads and their value width must be positive, got ")
           << heads << " and " << value;
  return checkShape(op, "kv_b", kvB, {rows, latent});
}

LogicalResult LatentAttentionOp::verify() {
  if (failed(checkRowsStatic(*this, getCache().getType())))
    return failure();
  int64_t heads = dimOf(getQ(), 1), nope = getQkNopeHeadDim();
  if (failed(checkNope(*this, nope, dimOf(getQ(), 2)))) // C2
    return failure();
  int64_t rope = dimOf(getQ(), 2) - nope;
  int64_t latent = dimOf(getCache(), 2) - rope;
  if (latent <= 0) // C1
    return emitOpError("'cache' must be wider than k_rot, got ")
           << dimOf(getCache(), 2) << " and " << rope;
  if (dimOf(getResult(), 0) != dimOf(getQ(), 0) ||
      dimOf(getResult(), 1) != heads) // C1
    return emitOpError("'result' must be [T, H, V], got ")
           << getResult().getType();
  if (failed(checkKvB(*this, getKvB(), heads, nope, dimOf(getResult(), 2),
                      latent)) ||                        // C2
      failed(checkPositive(*this, "scale", getScale()))) // C3
    return failure();
  return checkSequences(*this, getCuSeqlens(), getSlots(), getContextLens());
}

LogicalResult AbsorbQueryOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t heads = dimOf(getQ(), 1), nope = getQkNopeHeadDim();
  if (failed(checkNope(*this, nope, dimOf(getQ(), 2)))) // C1
    return failure();
  int64_t rope = dimOf(getQ(), 2) - nope, latent = dimOf(getKvB(), 1);
  if (heads == 0 || dimOf(getKvB(), 0) % heads != 0) // C1
    return emitOpError("'kv_b' must have a multiple of H rows, got ")
           << getQ().getType() << " and " << getKvB().getType();
  if (failed(checkKvB(*this, getKvB(), heads, nope,
                      dimOf(getKvB(), 0) / heads - nope, latent)))
    return failure();
  return checkShape(*this, "result", getResult(),
                    {dimOf(getQ(), 0), heads, latent + rope}); // C1
}

LogicalResult LatentAttendOp::verify() {
  if (failed(checkRowsStatic(*this, getCache().getType())))
    return failure();
  int64_t row = dimOf(getQ(), 2), latent = dimOf(getResult(), 2);
  if (dimOf(getCache(), 2) != row || latent <= 0 || latent >= row) // C1
    return emitOpError("'cache' must be [P, C, ")
           << row << "] and the latent narrower than that, got "
           << getCache().getType() << " and " << latent;
  if (failed(checkShape(*this, "result", getResult(),
                        {dimOf(getQ(), 0), dimOf(getQ(), 1), latent})) ||
      failed(checkPositive(*this, "scale", getScale()))) // C2
    return failure();
  return checkSequences(*this, getCuSeqlens(), getSlots(), getContextLens());
}

LogicalResult AbsorbValueOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t heads = dimOf(getX(), 1), latent = dimOf(getX(), 2);
  if (dimOf(getResult(), 0) != dimOf(getX(), 0) ||
      dimOf(getResult(), 1) != heads) // C1
    return emitOpError("'result' must be [T, H, V], got ")
           << getResult().getType();
  int64_t nope = getQkNopeHeadDim();
  if (failed(checkNope(*this, nope, dimOf(getKvB(), 0)))) // C1
    return failure();
  return checkKvB(*this, getKvB(), heads, nope, dimOf(getResult(), 2),
                  latent); // C1
}
