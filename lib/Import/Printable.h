// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text from files as messages show it: it cannot drive a terminal.

#ifndef K3_LIB_IMPORT_PRINTABLE_H
#define K3_LIB_IMPORT_PRINTABLE_H

#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <string>

namespace k3 {

/// Every byte that is not printable ASCII as \xNN.
inline std::string printable(llvm::StringRef text) {
  std::string shown;
  for (unsigned char c : text)
    if (c >= 0x20 && c < 0x7f)
      shown += char(c);
    else
      shown += "\\x" + llvm::utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
  return shown;
}

inline std::string printable(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", number);
  return text;
}

} // namespace k3

#endif // K3_LIB_IMPORT_PRINTABLE_H
