// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KdaRecurrence.h"

#include "lib/TileReference/TileValue.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::test;

std::vector<float> Numbers::exact(size_t count, float scale, float shift) {
  std::normal_distribution<float> normal;
  std::vector<float> out(count);
  for (float &value : out)
    value = normal(engine) * scale + shift;
  return out;
}

std::vector<float> Numbers::halves(size_t count, float scale, float shift) {
  std::vector<float> out = exact(count, scale, shift);
  for (float &value : out)
    value = roundToBf16(value);
  return out;
}

KdaInputs::KdaInputs(int64_t tokens, int64_t heads, int64_t dim, float shift,
                     unsigned seed)
    : tokens(tokens), heads(heads), dim(dim) {
  Numbers numbers(seed);
  size_t size = tokens * heads * dim;
  q = numbers.halves(size);
  k = numbers.halves(size);
  v = numbers.halves(size);
  g = numbers.halves(size, 1, shift);
  beta = numbers.halves(tokens * heads);
  aLog = numbers.exact(heads, 0.3f);
  dtBias = numbers.exact(heads * dim, 0.1f);
}

KdaOutputs test::recurrence(const KdaInputs &in, int64_t head, int64_t first,
                            int64_t last, std::vector<double> state,
                            double lowerBound) {
  int64_t dim = in.dim;
  KdaOutputs out;
  std::vector<double> key(dim), query(dim);
  for (int64_t token = first; token < last; ++token) {
    int64_t at = (token * in.heads + head) * dim;
    double keySquares = 0, querySquares = 0;
    for (int64_t i = 0; i < dim; ++i) {
      keySquares += double(in.k[at + i]) * in.k[at + i];
      querySquares += double(in.q[at + i]) * in.q[at + i];
    }
    for (int64_t i = 0; i < dim; ++i) {
      key[i] = in.k[at + i] / std::sqrt(keySquares + 1e-6);
      query[i] = in.q[at + i] / std::sqrt(querySquares + 1e-6) / std::sqrt(dim);
      double x = std::exp(double(in.aLog[head])) *
                 (in.g[at + i] + double(in.dtBias[head * dim + i]));
      double decay = std::exp(lowerBound / (1 + std::exp(-x)));
      for (int64_t j = 0; j < dim; ++j)
        state[j * dim + i] *= decay;
    }
    double strength =
        1 / (1 + std::exp(-double(in.beta[token * in.heads + head])));
    for (int64_t j = 0; j < dim; ++j) {
      double *row = &state[j * dim], read = 0, output = 0;
      for (int64_t i = 0; i < dim; ++i)
        read += row[i] * key[i];
      double update = strength * (in.v[at + j] - read);
      for (int64_t i = 0; i < dim; ++i) {
        row[i] += update * key[i];
        output += row[i] * query[i];
      }
      out.o.push_back(output);
    }
  }
  out.state = std::move(state);
  return out;
}

double test::relativeError(const std::vector<double> &got,
                           const std::vector<double> &want) {
  double difference = 0, size = 0;
  for (auto [a, b] : llvm::zip_equal(got, want)) {
    difference += (a - b) * (a - b);
    size += b * b;
  }
  return std::sqrt(difference / std::max(size, 1e-300));
}

Program::Program() {
  context.loadDialect<tile::K3TDialect, arith::ArithDialect, func::FuncDialect,
                      math::MathDialect, scf::SCFDialect>();
  own = ModuleOp::create(UnknownLoc::get(&context));
}
