/* Part of k3, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The kernels of test/runtime/run/Kernels.c with the GPU's calling convention
 * (docs/ArtefactFormat.md), for a real device. Three workgroups a block, all
 * done by its first thread; 64 bytes of scratch memory a workgroup.
 */
#include "../run/Kernels.c"

enum { PER_BLOCK = 3, SCRATCH = 64 };

#define KERNEL(name, parameters, buffers, dims)                                \
  __attribute__((nvptx_kernel)) void name##_gpu parameters {                   \
    void *const list[] = {buffers};                                            \
    const int64_t sizes[] = {dims};                                            \
    int64_t first = (int64_t)__nvvm_read_ptx_sreg_ctaid_x() * PER_BLOCK;       \
    if (__nvvm_read_ptx_sreg_tid_x() != 0)                                     \
      return;                                                                  \
    for (int64_t w = first; w < first + PER_BLOCK && w < groups; ++w)          \
      name(w, list, sizes, scratch + w * SCRATCH);                             \
  }
#define LIST(...) __VA_ARGS__
#define END int64_t groups, char *scratch

KERNEL(embed, (void *a, void *b, void *c, int64_t t, END), LIST(a, b, c), t)
KERNEL(add_rows, (void *a, void *b, void *c, int64_t t, END), LIST(a, b, c), t)
KERNEL(running_sum,
       (void *a, void *b, void *c, void *d, void *e, void *f, int64_t n, END),
       LIST(a, b, c, d, e, f), n)
KERNEL(append_rows,
       (void *a, void *b, void *c, void *d, void *e, int64_t n, END),
       LIST(a, b, c, d, e), n)
KERNEL(read_out,
       (void *a, void *b, void *c, void *d, void *e, void *f, int64_t n, END),
       LIST(a, b, c, d, e, f), n)
KERNEL(count_up, (void *a, END), LIST(a), 0)
KERNEL(wait_for, (void *a, END), LIST(a), 0)
