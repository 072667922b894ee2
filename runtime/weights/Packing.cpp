// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every layout is a transposition of 16 rows of words: of 4 bytes (a float, or
// a pair of bfloat16) or of 1 byte.

#include "runtime/weights/Packing.h"

#include "runtime/format/PackedSize.h"

#include <cstring>

using namespace k3;
using artefact::Packing;

namespace {

/// out[word][row] = in[row][word]; rows are `stride` bytes apart.
template <class Word>
void transpose(const uint8_t *in, int64_t rows, int64_t words, int64_t stride,
               uint8_t *out) {
  for (int64_t w = 0; w < words; ++w) {
    Word panel[panelRows] = {};
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(&panel[row], in + row * stride + w * int64_t(sizeof(Word)),
                  sizeof(Word));
    std::memcpy(out + w * int64_t(sizeof(panel)), panel, sizeof(panel));
  }
}

/// The same for bytes, four columns at a time: moving single bytes takes a
/// multiple of the time.
void transposeBytes(const uint8_t *in, int64_t rows, int64_t inputs,
                    uint8_t *out) {
  int64_t whole = inputs / 4 * 4;
  for (int64_t w = 0; w < whole; w += 4) {
    uint32_t words[panelRows] = {};
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(&words[row], in + row * inputs + w, sizeof(uint32_t));
    for (int64_t column = 0; column < 4; ++column)
      for (int64_t row = 0; row < panelRows; ++row)
        out[(w + column) * panelRows + row] = uint8_t(words[row] >> 8 * column);
  }
  transpose<uint8_t>(in + whole, rows, inputs - whole, inputs,
                     out + whole * panelRows);
}

/// The last column of an odd number: pairs whose second element is zero.
void packLastColumn(const uint8_t *in, int64_t rows, int64_t stride,
                    uint8_t *out) {
  uint16_t panel[panelRows][2] = {};
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(&panel[row][0], in + row * stride, sizeof(uint16_t));
  std::memcpy(out, panel, sizeof(panel));
}

} // namespace

uint64_t k3::panelBytes(Packing packing, int64_t inputs) {
  switch (packing) {
  case Packing::PairPanels:
    return uint64_t(panelRows * 2) * uint64_t(inputs + inputs % 2);
  case Packing::Panels:
    return uint64_t(panelRows * 4) * uint64_t(inputs);
  case Packing::None:
  case Packing::NibblePanels:
  case Packing::ScalePanels:
    break;
  }
  return uint64_t(panelRows) * uint64_t(inputs);
}

void k3::packPanel(Packing packing, const uint8_t *in, int64_t rows,
                   int64_t inputs, uint8_t *out) {
  if (packing == Packing::Panels) {
    transpose<uint32_t>(in, rows, inputs, inputs * 4, out);
  } else if (packing == Packing::PairPanels) {
    int64_t pairs = inputs / 2;
    transpose<uint32_t>(in, rows, pairs, inputs * 2, out);
    if (inputs % 2)
      packLastColumn(in + pairs * 4, rows, inputs * 2,
                     out + pairs * panelRows * 4);
  } else {
    transposeBytes(in, rows, inputs, out);
  }
}
