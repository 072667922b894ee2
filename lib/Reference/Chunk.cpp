// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a chunk that do not see the state.

#include "Chunks.h"
#include "Scalar.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

LogicalResult k3::reference::evaluate(ChunkDecayOp op, Frame &frame) {
  LogDecays g{frame.find(op.getG())};
  const Tensor &rows = frame[op.getRows() ? op.getRows() : op.getG()];
  Shape shape = g.tensor->shape;
  if (op.getRows())
    shape.insert(shape.begin(), rows.rows());
  int64_t heads = shape[1], width = shape.size() == 3 ? shape[2] : 1;
  auto sequences = chunkSequences(op, frame, rows.rows());
  if (failed(sequences))
    return failure();
  Tensor out = Tensor::ofReals(shape);
  forEachChunk(*sequences, op.getChunkSize(), heads,
               [&](Chunk chunk, int64_t head) {
                 for (int64_t i = 0; i < width; ++i) {
                   double sum = 0;
                   for (int64_t t = chunk.begin; t < chunk.end; ++t) {
                     sum += g.at(t, head, i);
                     out.row(t)[head * width + i] = sum;
                   }
                 }
               });
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(ChunkTiedKeyOp op, Frame &frame) {
  const Tensor &g = frame[op.getG()];
  int64_t heads = g.shape[1], width = g.shape[2];
  auto sequences = chunkSequences(op, frame, g.rows());
  if (failed(sequences))
    return failure();
  Tensor out = Tensor::ofReals(g.shape);
  forEachChunk(*sequences, op.getChunkSize(), heads,
               [&](Chunk chunk, int64_t head) {
                 for (int64_t t = chunk.begin; t < chunk.end; ++t)
                   for (int64_t i = head * width; i < (head + 1) * width; ++i)
                     out.row(t)[i] = -std::expm1(g.row(t)[i]);
               });
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(ChunkGramOp op, Frame &frame) {
  HeadRows x{frame.find(op.getX())}, y{frame.find(op.getY())};
  LogDecays sums{frame.find(op.getDecay())}, g{frame.find(op.getG())};
  int64_t heads = cast<RankedTensorType>(op.getType()).getDimSize(1);
  int64_t tokens = x.tensor->rows(), width = x.tensor->shape[2];
  int64_t size = op.getChunkSize();
  x.valueHeads = y.valueHeads = heads;
  auto sequences = chunkSequences(op, frame, tokens);
  if (failed(sequences))
    return failure();
  Tensor out = Tensor::ofReals({tokens, heads, size});
  bool diagonal = op.getDiagonal();
  forEachChunk(*sequences, size, heads, [&](Chunk chunk, int64_t head) {
    for (int64_t t = chunk.begin; t < chunk.end; ++t) {
      double *row = out.row(t) + head * size;
      const double *left = x.at(t, head);
      for (int64_t j = chunk.begin; j < t + diagonal; ++j) {
        const double *right = y.at(j, head);
        double sum = 0;
        for (int64_t i = 0; i < width; ++i)
          sum += left[i] * right[i] *
                 std::exp(sums.at(t, head, i) - g.at(t, head, i) -
                          sums.at(j, head, i));
        row[j - chunk.begin] = sum;
      }
    }
  });
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(ChunkInverseOp op, Frame &frame) {
  const Tensor &gram = frame[op.getGram()];
  const Tensor *beta = frame.find(op.getBeta());
  int64_t heads = gram.shape[1], size = op.getChunkSize();
  auto sequences = chunkSequences(op, frame, gram.rows());
  if (failed(sequences))
    return failure();
  Tensor out = Tensor::ofReals(gram.shape);
  forEachChunk(*sequences, size, heads, [&](Chunk chunk, int64_t head) {
    auto row = [&](int64_t p) {
      return out.row(chunk.begin + p) + head * size;
    };
    for (int64_t p = 0; p < chunk.end - chunk.begin; ++p) {
      const double *a = gram.row(chunk.begin + p) + head * size;
      double strength = beta ? -beta->row(chunk.begin + p)[head] : 1;
      for (int64_t j = 0; j < p; ++j)
        for (int64_t c = 0; c <= j; ++c)
          row(p)[c] += strength * a[j] * row(j)[c];
      row(p)[p] = 1;
    }
  });
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(ChunkWUOp op, Frame &frame) {
  const Tensor &inverse = frame[op.getInverse()], &v = frame[op.getV()];
  HeadRows y{frame.find(op.getY()), v.shape[1]};
  LogDecays sums{frame.find(op.getDecay())}, g{frame.find(op.getG())};
  const Tensor *beta = frame.find(op.getBeta());
  const Tensor *gram = frame.find(op.getGram());
  int64_t heads = v.shape[1], width = v.shape[2], size = op.getChunkSize();
  int64_t keyWidth = y.tensor->shape[2];
  auto sequences = chunkSequences(op, frame, v.rows());
  if (failed(sequences))
    return failure();
  Tensor w = Tensor::ofReals({v.rows(), heads, keyWidth});
  Tensor u = Tensor::ofReals(v.shape);
  bool lowRank = op.getErase() == Erase::LowRank;
  bool scales = op.getWrite() == Write::BetaValue;
  forEachChunk(*sequences, size, heads, [&](Chunk chunk, int64_t head) {
    // What the inverse multiplies: [tokens, K] and [tokens, V].
    int64_t tokens = chunk.end - chunk.begin;
    std::vector<double> keys(tokens * keyWidth), values(tokens * width);
    auto written = [&](int64_t t, int64_t i) {
      return v.row(t)[head * width + i] * (scales ? beta->row(t)[head] : 1);
    };
    for (int64_t p = 0; p < tokens; ++p) {
      int64_t t = chunk.begin + p;
      double strength = lowRank ? -1 : beta->row(t)[head];
      for (int64_t i = 0; i < keyWidth; ++i)
        keys[p * keyWidth + i] =
            strength * y.at(t, head)[i] *
            std::exp(sums.at(t, head, i) - g.at(t, head, i));
      for (int64_t i = 0; i < width; ++i) {
        double &value = values[p * width + i];
        for (int64_t c = 0; lowRank && c < p; ++c)
          value +=
              (gram->row(t) + head * size)[c] * written(chunk.begin + c, i);
        if (!lowRank)
          value = written(t, i);
      }
    }
    for (int64_t p = 0; p < tokens; ++p) {
      const double *row = inverse.row(chunk.begin + p) + head * size;
      double *outW = w.row(chunk.begin + p) + head * keyWidth;
      double *outU = u.row(chunk.begin + p) + head * width;
      for (int64_t c = 0; c <= p; ++c) {
        for (int64_t i = 0; i < keyWidth; ++i)
          outW[i] += row[c] * keys[c * keyWidth + i];
        for (int64_t i = 0; i < width; ++i)
          outU[i] += row[c] * values[c * width + i];
      }
    }
  });
  frame.set(op.getW(), std::move(w));
  frame.set(op.getU(), std::move(u));
  return success();
}

LogicalResult k3::reference::evaluate(ChunkOutputOp op, Frame &frame) {
  const Tensor &read = frame[op.getRead()], &gram = frame[op.getGram()];
  const Tensor *eraseGram = frame.find(op.getEraseGram());
  const Tensor *pseudo = frame.find(op.getPseudo()), *v = frame.find(op.getV());
  const Tensor *beta = frame.find(op.getBeta());
  const Tensor *weight = frame.find(op.getWeight());
  int64_t heads = read.shape[1], width = read.shape[2];
  int64_t size = op.getChunkSize();
  double scale = op.getScale().convertToDouble();
  auto sequences = chunkSequences(op, frame, read.rows());
  if (failed(sequences))
    return failure();
  Tensor out = Tensor::ofReals(read.shape);
  bool scales = op.getWrite() == Write::BetaValue;
  auto strength = [&](int64_t t, int64_t head) {
    return scales ? beta->row(t)[head] : 1;
  };
  const Tensor *pseudoGram = eraseGram ? eraseGram : &gram;
  forEachChunk(*sequences, size, heads, [&](Chunk chunk, int64_t head) {
    for (int64_t t = chunk.begin; t < chunk.end; ++t) {
      double *o = out.row(t) + head * width;
      std::copy_n(read.row(t) + head * width, width, o);
      double divisor = weight ? weight->row(t)[head] : 0;
      for (int64_t j = chunk.begin; j <= t; ++j) {
        int64_t at = head * size + j - chunk.begin;
        double b = gram.row(t)[at];
        for (int64_t i = 0; i < width; ++i) {
          if (pseudo)
            o[i] += pseudoGram->row(t)[at] * pseudo->row(j)[head * width + i];
          if (v)
            o[i] += b * strength(j, head) * v->row(j)[head * width + i];
        }
        if (weight)
          divisor += b * strength(j, head);
      }
      double factor = scale;
      if (weight)
        factor /= scale * divisor + op.getNormalizerEps()->convertToDouble();
      for (int64_t i = 0; i < width; ++i)
        o[i] *= factor;
    }
  });
  frame.set(op.getResult(), std::move(out));
  return success();
}
