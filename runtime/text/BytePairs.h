// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One piece of text as tokens: neighbours are joined, lowest rank first.

#ifndef K3_RUNTIME_TEXT_BYTEPAIRS_H
#define K3_RUNTIME_TEXT_BYTEPAIRS_H

#include "runtime/text/RankTable.h"

namespace k3::text {

/// Appends the tokens of a piece of less than 2^31 bytes. A piece that is a
/// token is that token; else it starts as single bytes, and the two neighbours
/// whose join has the lowest rank are joined, the leftmost such pair first,
/// until no join is a token. Takes O(n log n).
void encodePiece(const RankTable &ranks, std::string_view piece,
                 std::vector<int32_t> &out);

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_BYTEPAIRS_H
