// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types that files have.

#include "Elements.h"

#include "runtime/base/DType.h"

#include <cstring>

using namespace k3;
using namespace k3::reference;

template <class Stored, class Out, class Convert>
static void appendAs(std::span<const uint8_t> bytes, std::vector<Out> &out,
                     Convert convert) {
  size_t count = bytes.size() / sizeof(Stored);
  out.reserve(out.size() + count);
  for (size_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out.push_back(convert(value));
  }
}

bool k3::reference::appendElements(std::span<const uint8_t> bytes,
                                   std::string_view dtype, Tensor &out) {
  auto same = [](auto value) { return value; };
  if (out.isInteger) {
    if (dtype == "I32")
      appendAs<int32_t>(bytes, out.integers, same);
    else if (dtype == "U8" || dtype == "I8")
      appendAs<uint8_t>(bytes, out.integers, same);
    else
      return false;
    return true;
  }
  if (dtype == "F64")
    appendAs<double>(bytes, out.reals, same);
  else if (dtype == "F32")
    appendAs<float>(bytes, out.reals, same);
  else if (dtype == "BF16")
    appendAs<uint16_t>(bytes, out.reals, floatFromBf16);
  else if (dtype == "F16")
    appendAs<uint16_t>(bytes, out.reals, floatFromHalf);
  else
    return false;
  return true;
}
