// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bar of finished kernels on a terminal; nothing anywhere else.

#ifndef K3_TOOLS_K3_COMPILE_PROGRESSBAR_H
#define K3_TOOLS_K3_COMPILE_PROGRESSBAR_H

#include <cstddef>

namespace k3 {

class ProgressBar {
public:
  /// Draws only when `wanted` and stderr is a terminal.
  explicit ProgressBar(bool wanted);
  ~ProgressBar() { clear(); }
  void draw(size_t done, size_t total);
  /// Takes the bar off the line, so that messages stand alone.
  void clear();

private:
  bool isOn;
  bool isDrawn = false;
};

} // namespace k3

#endif // K3_TOOLS_K3_COMPILE_PROGRESSBAR_H
