// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Redraws one line of stderr.

#include "ProgressBar.h"

#include <cstdio>
#include <string>
#include <unistd.h>

using namespace k3;

ProgressBar::ProgressBar(bool wanted) : isOn(wanted && isatty(STDERR_FILENO)) {}

void ProgressBar::draw(size_t done, size_t total) {
  constexpr size_t width = 30;
  if (!isOn || total == 0)
    return;
  size_t filled = done * width / total;
  std::string bar = std::string(filled, '=') + std::string(width - filled, ' ');
  std::fprintf(stderr, "\r[%s] %zu/%zu kernels", bar.c_str(), done, total);
  std::fflush(stderr);
  isDrawn = true;
}

void ProgressBar::clear() {
  if (isDrawn)
    std::fputs("\r\033[K", stderr);
  isDrawn = false;
}
