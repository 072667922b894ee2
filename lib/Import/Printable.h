// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text from files as messages show it: it cannot drive a terminal.

#ifndef K3_LIB_IMPORT_PRINTABLE_H
#define K3_LIB_IMPORT_PRINTABLE_H

#include "k3/Support/Printable.h"

#include <cstdio>
#include <string>

namespace k3 {

inline std::string printable(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", number);
  return text;
}

} // namespace k3

#endif // K3_LIB_IMPORT_PRINTABLE_H
