// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of a failure.

#include "runtime/base/Status.h"

#include "runtime/base/Escape.h"

#include <cstdio>

using namespace k3;

// Leaves room for "k3-lsp-server: " in a line of 200.
static constexpr size_t mostFirstLine = 184;

std::string Status::render() const {
  char number[24];
  std::snprintf(number, sizeof(number), "error[K3-E%04d]: ", this->number());
  std::string result = number + escaped(text());
  result = shortened(std::move(result), mostFirstLine);
  for (const std::string &detail : details())
    result += "\n  " + escaped(detail);
  if (!help().empty())
    result += "\nhelp: " + escaped(help());
  return result;
}
