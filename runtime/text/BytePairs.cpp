// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts are a linked list over byte offsets; joins wait in a heap, and those
// whose parts have changed meanwhile are dropped when they come up.

#include "runtime/text/BytePairs.h"

#include <queue>

using namespace k3;
using namespace k3::text;

namespace {

struct Join {
  int32_t rank, begin, end;
  bool operator>(const Join &other) const {
    return rank != other.rank ? rank > other.rank : begin > other.begin;
  }
};

class Parts {
public:
  Parts(const RankTable &ranks, std::string_view piece)
      : ranks(ranks), piece(piece), size(int32_t(piece.size())),
        next(piece.size()), previous(piece.size()) {
    for (int32_t i = 0; i < size; ++i) {
      next[i] = i + 1;
      previous[i] = i - 1;
    }
    for (int32_t i = 0; i + 1 < size; ++i)
      offer(i);
  }

  void joinAll() {
    while (!joins.empty()) {
      Join join = joins.top();
      joins.pop();
      int32_t second = next[join.begin];
      if (second == gone || second == size || next[second] != join.end)
        continue;
      next[join.begin] = join.end;
      next[second] = gone;
      if (join.end < size)
        previous[join.end] = join.begin;
      offer(join.begin);
      if (previous[join.begin] >= 0)
        offer(previous[join.begin]);
    }
  }

  void append(std::vector<int32_t> &out) const {
    for (int32_t i = 0; i < size; i = next[i])
      out.push_back(ranks.find(piece.substr(i, next[i] - i)));
  }

private:
  static constexpr int32_t gone = -1;

  /// Offers the join of the part at `begin` with the one after it.
  void offer(int32_t begin) {
    if (next[begin] == size)
      return;
    int32_t end = next[next[begin]];
    int32_t rank = ranks.find(piece.substr(begin, end - begin));
    if (rank >= 0)
      joins.push({rank, begin, end});
  }

  const RankTable &ranks;
  std::string_view piece;
  int32_t size;
  std::vector<int32_t> next, previous; // by a part's first byte
  std::priority_queue<Join, std::vector<Join>, std::greater<>> joins;
};

} // namespace

void text::encodePiece(const RankTable &ranks, std::string_view piece,
                       std::vector<int32_t> &out) {
  if (piece.empty())
    return;
  if (int32_t rank = ranks.find(piece); rank >= 0) {
    out.push_back(rank);
    return;
  }
  Parts parts(ranks, piece);
  parts.joinAll();
  parts.append(out);
}
