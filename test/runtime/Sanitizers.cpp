// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the sanitizers must not report: libomp keeps its threads' memory, and
// an allocation that is too large returns null as without them.

extern "C" const char *__lsan_default_suppressions();

extern "C" const char *__lsan_default_suppressions() {
  return "leak:libomp.so\n";
}

extern "C" const char *__asan_default_options();

extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
