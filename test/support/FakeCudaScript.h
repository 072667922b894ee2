// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a test tells the fake libcuda to do.

#ifndef K3_TEST_SUPPORT_FAKECUDASCRIPT_H
#define K3_TEST_SUPPORT_FAKECUDASCRIPT_H

#include <cstdint>
#include <map>
#include <string>

namespace k3::fake {

/// Words separated by spaces:
///   version=12040  devices=2  capability=90  memory=1000000  shared=232448
///   pools=0  clusters=0           what the driver and its devices are
///   fail=cuMemAlloc_v2:3:2        the third call from now returns 2; 0: all
///   kernel=embed:700              a launch of this entry ends in this fault,
///                                 which is seen when something waits
/// A fault that ends a context (700, ...) is returned by every later call.
struct Script {
  int version = 13000, devices = 1, capability = 90;
  int64_t memory = int64_t(1) << 30;
  int shared = 232448, pools = 1, clusters = 1;
  struct Failure {
    int64_t call = 0; // 0: every one
    int result = 0;
  };
  std::map<std::string, Failure> failures;
  std::map<std::string, int> kernels;

  /// Aborts the process on a word that it does not know: a test is wrong then.
  static Script parse(const std::string &text);
};

} // namespace k3::fake

// Exported by the fake library beside the functions of libcuda.
extern "C" {
/// Starts again with a script; the environment variable K3_FAKE_CUDA gives the
/// first one. Everything taken before is forgotten and must be gone.
void k3_fake_cuda_script(const char *text);
/// Calls of a function since the script, "" for all.
int64_t k3_fake_cuda_calls(const char *function);
/// What is taken and not given back: memory blocks, pinned blocks, streams,
/// events, modules, graphs, contexts. "" for the sum.
int64_t k3_fake_cuda_live(const char *kind);
/// What a program did wrong that a driver might not notice: the first is kept.
const char *k3_fake_cuda_violation(void);
}

#endif // K3_TEST_SUPPORT_FAKECUDASCRIPT_H
