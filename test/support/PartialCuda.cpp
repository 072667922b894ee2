// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcuda that lacks what newer ones have.

extern "C" {

int cuDriverGetVersion(int *version) {
  *version = 12020;
  return 0;
}

int cuInit(unsigned) { return 0; }

} // extern "C"
