// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of k3-bench, less Google Benchmark's own flags.

#ifndef K3_TOOLS_K3_BENCH_OPTIONS_H
#define K3_TOOLS_K3_BENCH_OPTIONS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace k3::bench {

struct Options {
  std::string artefact;
  std::string weights;
  std::string device;
  std::string target;
  std::vector<std::string> entries; // empty: all
  std::vector<int64_t> tokens = {1};
  std::vector<int64_t> batch = {1};
  std::vector<int64_t> context = {0};
  std::map<std::string, int64_t> dims;
  int32_t threads = 0;
  int64_t repeat = 20; // runs that per-command times are taken from
  bool commands = false;
  bool help = false;
};

extern const char *const usageText;

/// Reads what Google Benchmark left of the command line.
Status parseOptions(int argc, char **argv, Options &out);

} // namespace k3::bench

#endif // K3_TOOLS_K3_BENCH_OPTIONS_H
