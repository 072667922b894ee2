// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the chunkwise recurrence.

#include "Check.h"

#include "k3/Dialect/K3/IR/DecayForms.h"

using namespace mlir;
using namespace k3;

/// What every op of the family checks first and last.
static LogicalResult checkChunks(ChunkOpInterface op) {
  int64_t size = op.getChunkSize();
  if (size < 1 || size > 256)
    return op->emitOpError("chunk_size must lie in [1, 256], got ") << size;
  return checkSequences(op, op.getCuSeqlens(), op.getSlots(),
                        op.getContextLens());
}

/// Fails unless `value` is [T, H, width] with H dividing `heads`.
static LogicalResult checkHeadRows(Operation *op, StringRef name, Value value,
                                   int64_t tokens, int64_t heads,
                                   int64_t width) {
  int64_t own = dimOf(value, 1);
  if (own == 0 || heads % own != 0)
    return op->emitOpError("'") << name << "' must have heads that divide "
                                << heads << ", got " << value.getType();
  return checkShape(op, name, value, {tokens, own, width});
}

/// Fails unless a value is given exactly when it is wanted.
static LogicalResult checkGiven(Operation *op, StringRef name, Value value,
                                bool wanted) {
  if (bool(value) == wanted)
    return success();
  return op->emitOpError("'")
         << name << "' is " << (wanted ? "" : "not ") << "wanted here";
}

/// `decay` is [T, HV] or [T, HV, K], `g` one step of it.
static LogicalResult checkDecay(Operation *op, Value decay, Value g,
                                int64_t tokens, int64_t heads, int64_t width) {
  if (!decay)
    return checkGiven(op, "g", g, false);
  bool scalar = tensorOf(decay).getRank() == 2;
  SmallVector<int64_t> want = {tokens, heads, width};
  want.resize(scalar ? 2 : 3);
  if (failed(checkShape(op, "decay", decay, want)))
    return failure();
  if (!g)
    return success();
  if (scalar && tensorOf(g).getRank() == 1)
    want = {heads};
  return checkShape(op, "g", g, want);
}

static bool erasesByBeta(Erase erase) {
  return erase == Erase::Delta || erase == Erase::OwnKey;
}

LogicalResult ChunkDecayOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  bool constant = tensorOf(getG()).getRank() == 1;
  if (failed(checkGiven(*this, "rows", getRows(), constant))) // C1
    return failure();
  SmallVector<int64_t> want(tensorOf(getG()).getShape());
  if (constant)
    want.insert(want.begin(), dimOf(getRows(), 0));
  if (failed(checkShape(*this, "result", getResult(), want))) // C1
    return failure();
  return checkChunks(*this); // C2
}

LogicalResult ChunkTiedKeyOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "result", getResult(), getG()))) // C1
    return failure();
  return checkChunks(*this); // C2
}

/// C3, C4: what the form wants.
static LogicalResult checkForm(ChunkGramOp op, int64_t tokens, int64_t heads,
                               int64_t width) {
  DecayForm form = op.getForm();
  if (bool(op.getDecay()) == (form == DecayForm::Plain))
    return op.emitOpError("'decay' is given unless form is 'plain'");
  if (op.getDecay() &&
      (tensorOf(op.getDecay()).getRank() == 2) != (form == DecayForm::Scalar))
    return op.emitOpError("form '")
           << stringifyDecayForm(form) << "' does not fit 'decay' "
           << op.getDecay().getType();
  return checkDecay(op, op.getDecay(), op.getG(), tokens, heads, width);
}

/// C5: the anchored form is proven.
static LogicalResult checkAnchor(ChunkGramOp op) {
  bool anchored = op.getForm() == DecayForm::Anchored;
  std::optional<uint64_t> anchor = op.getAnchor();
  std::optional<ArrayRef<double>> bounds = op.getLogDecayBounds();
  if (anchor.has_value() != anchored || bounds.has_value() != anchored)
    return op.emitOpError("anchor and log_decay_bounds are given exactly for "
                          "form 'anchored'");
  if (!anchored)
    return success();
  int64_t row = *anchor, rows = op.getSubTile();
  if (row < 0 || row >= rows)
    return op.emitOpError("anchor must lie in [0, ")
           << rows << "), got " << row;
  if (bounds->size() != 2 || !((*bounds)[0] <= (*bounds)[1]) ||
      (*bounds)[1] > 0)
    return op.emitOpError("log_decay_bounds must be two numbers, the lower "
                          "first and none positive");
  double exponent = anchoredExponent((*bounds)[0], rows, row, bool(op.getG()));
  if (!isSafeExponent(exponent))
    return op.emitOpError("exponents may reach ")
           << exponent << ", which the anchored form does not allow";
  return success();
}

LogicalResult ChunkGramOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t tokens = dimOf(getX(), 0), width = dimOf(getX(), 2);
  int64_t heads = dimOf(getResult(), 1), size = getChunkSize();
  if (failed(checkHeadRows(*this, "x", getX(), tokens, heads, width)) ||
      failed(checkHeadRows(*this, "y", getY(), tokens, heads, width))) // C1
    return failure();
  if (failed(checkShape(*this, "result", getResult(),
                        {tokens, heads, size}))) // C2
    return failure();
  if (failed(checkForm(*this, tokens, heads, width)))
    return failure();
  int64_t rows = getSubTile();
  if (rows < 1 || size % rows != 0) // C6
    return emitOpError("sub_tile must divide ") << size << ", got " << rows;
  if (failed(checkAnchor(*this)))
    return failure();
  return checkChunks(*this); // C7
}

LogicalResult ChunkInverseOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t tokens = dimOf(getGram(), 0), heads = dimOf(getGram(), 1);
  if (failed(checkShape(*this, "gram", getGram(),
                        {tokens, heads, int64_t(getChunkSize())})) ||
      failed(checkSameShape(*this, "result", getResult(), getGram()))) // C1
    return failure();
  if (getBeta() &&
      failed(checkShape(*this, "beta", getBeta(), {tokens, heads}))) // C2
    return failure();
  return checkChunks(*this); // C3
}

LogicalResult ChunkWUOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t tokens = dimOf(getInverse(), 0), heads = dimOf(getInverse(), 1);
  int64_t width = dimOf(getY(), 2);
  if (failed(checkShape(*this, "inverse", getInverse(),
                        {tokens, heads, int64_t(getChunkSize())}))) // C1
    return failure();
  if (failed(checkHeadRows(*this, "y", getY(), tokens, heads, width)) ||
      failed(checkShape(*this, "w", getW(), {tokens, heads, width}))) // C2
    return failure();
  if (failed(
          checkShape(*this, "v", getV(), {tokens, heads, dimOf(getV(), 2)})) ||
      failed(checkSameShape(*this, "u", getU(), getV()))) // C3
    return failure();
  if (failed(checkDecay(*this, getDecay(), getG(), tokens, heads,
                        width))) // C4
    return failure();
  bool wantsBeta = erasesByBeta(getErase()) || getWrite() == Write::BetaValue;
  if (failed(checkGiven(*this, "beta", getBeta(), wantsBeta)) ||
      (getBeta() &&
       failed(checkShape(*this, "beta", getBeta(), {tokens, heads})))) // C5
    return failure();
  if (getErase() == Erase::None) // C6
    return emitOpError("erase 'none' has no W and U");
  bool lowRank = getErase() == Erase::LowRank;
  if (failed(checkGiven(*this, "gram", getGram(), lowRank)) ||
      (lowRank &&
       failed(checkSameShape(*this, "gram", getGram(), getInverse())))) // C6
    return failure();
  return checkChunks(*this); // C7
}

/// C6, C7: states have the sizes of the rows.
static LogicalResult checkStates(ChunkStepOp op, int64_t tokens, int64_t heads,
                                 int64_t keyWidth, int64_t valueWidth) {
  int64_t pool = dimOf(op.getState(), 0);
  SmallVector<int64_t> want = {pool, heads, keyWidth, valueWidth};
  if (op.getStateVFirst())
    std::swap(want[2], want[3]);
  if (failed(checkShape(op, "state", op.getState(), want)) ||
      failed(checkSameType(op, "new_state", op.getNewState(), op.getState())))
    return failure();
  Value normalizer = op.getNormalizerState();
  if (!normalizer)
    return success();
  if (failed(checkShape(op, "normalizer_state", normalizer,
                        {pool, heads, keyWidth})) ||
      failed(checkSameType(op, "new_normalizer_state",
                           op.getNewNormalizerState(), normalizer)))
    return failure();
  return checkShape(op, "weight", op.getWeight(), {tokens, heads});
}

Value ChunkStepOp::getPseudo() {
  return getErase() == Erase::None ? Value() : getMore().front();
}

Value ChunkStepOp::getWeight() {
  return getNormalizerState() ? getMore().drop_back().back() : Value();
}

Value ChunkStepOp::getNewNormalizerState() {
  return getNormalizerState() ? getMore().back() : Value();
}

LogicalResult ChunkStepOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  size_t wanted =
      (getErase() == Erase::None ? 0 : 1) + (getNormalizerState() ? 2 : 0);
  if (getMore().size() != wanted) // C3, C7
    return emitOpError("must have ")
           << wanted + 2 << " results, got " << getNumResults();
  int64_t tokens = dimOf(getQ(), 0), heads = dimOf(getRead(), 1);
  int64_t keyWidth = dimOf(getQ(), 2), valueWidth = dimOf(getRead(), 2);
  bool lowRank = getErase() == Erase::LowRank;
  bool erases = getErase() != Erase::None;
  if (failed(checkHeadRows(*this, "q", getQ(), tokens, heads, keyWidth)) ||
      failed(checkHeadRows(*this, "k", getK(), tokens, heads, keyWidth)) ||
      failed(checkGiven(*this, "b", getB(), lowRank)) ||
      (lowRank && failed(checkHeadRows(*this, "b", getB(), tokens, heads,
                                       keyWidth)))) // C1
    return failure();
  SmallVector<int64_t> values = {tokens, heads, valueWidth};
  if (failed(checkGiven(*this, "v", getV(), !erases || lowRank)) ||
      (getV() && failed(checkShape(*this, "v", getV(), values))) ||
      failed(checkShape(*this, "read", getRead(), values))) // C2
    return failure();
  if (failed(checkGiven(*this, "w", getW(), erases)) ||
      failed(checkGiven(*this, "u", getU(), erases)) ||
      (erases &&
       (failed(checkShape(*this, "w", getW(), {tokens, heads, keyWidth})) ||
        failed(checkShape(*this, "u", getU(), values)) ||
        failed(checkShape(*this, "pseudo", getPseudo(), values))))) // C3
    return failure();
  if (failed(checkDecay(*this, getDecay(), {}, tokens, heads,
                        keyWidth))) // C4
    return failure();
  bool wantsBeta =
      getWrite() == Write::BetaValue && (getV() || getNormalizerState());
  if (failed(checkGiven(*this, "beta", getBeta(), wantsBeta)) ||
      (wantsBeta &&
       failed(checkShape(*this, "beta", getBeta(), {tokens, heads})))) // C5
    return failure();
  if (failed(checkStates(*this, tokens, heads, keyWidth, valueWidth)))
    return failure();
  return checkChunks(*this); // C8
}

SmallVector<std::pair<unsigned, unsigned>> ChunkStepOp::getUpdates() {
  auto number = [](Value result) {
    return unsigned(cast<OpResult>(result).getResultNumber());
  };
  SmallVector<std::pair<unsigned, unsigned>> updates = {
      {getStateMutable().getOperandNumber(), number(getNewState())}};
  if (getNormalizerState())
    updates.push_back({getNormalizerStateMutable()[0].getOperandNumber(),
                       number(getNewNormalizerState())});
  return updates;
}

LogicalResult ChunkOutputOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "result", getResult(), getRead()))) // C1
    return failure();
  int64_t tokens = dimOf(getRead(), 0), heads = dimOf(getRead(), 1);
  bool lowRank = getErase() == Erase::LowRank;
  bool erases = getErase() != Erase::None;
  if (failed(checkShape(*this, "gram", getGram(),
                        {tokens, heads, int64_t(getChunkSize())})) ||
      failed(checkGiven(*this, "erase_gram", getEraseGram(), lowRank)) ||
      (lowRank && failed(checkSameShape(*this, "erase_gram", getEraseGram(),
                                        getGram())))) // C2
    return failure();
  if (failed(checkGiven(*this, "pseudo", getPseudo(), erases)) ||
      (erases &&
       failed(checkSameShape(*this, "pseudo", getPseudo(), getRead())))) // C3
    return failure();
  bool wantsValues = !erases || lowRank;
  if (failed(checkGiven(*this, "v", getV(), wantsValues)) ||
      (wantsValues &&
       failed(checkSameShape(*this, "v", getV(), getRead())))) // C4
    return failure();
  bool wantsBeta = getWrite() == Write::BetaValue &&
                   (wantsValues || getNormalizerEps().has_value());
  if (failed(checkGiven(*this, "beta", getBeta(), wantsBeta)) ||
      (wantsBeta &&
       failed(checkShape(*this, "beta", getBeta(), {tokens, heads})))) // C5
    return failure();
  if (failed(checkGiven(*this, "weight", getWeight(),
                        getNormalizerEps().has_value())) ||
      (getWeight() &&
       failed(checkShape(*this, "weight", getWeight(), {tokens, heads})))) // C6
    return failure();
  if (!getScale().isFinite()) // C7
    return emitOpError("scale must be finite, got ")
           << getScale().convertToDouble();
  return checkChunks(*this); // C8
}
