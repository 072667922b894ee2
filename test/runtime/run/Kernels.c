/* Part of k3, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels with the calling convention of docs/ArtefactFormat.md, small enough
 * that a test knows every number. Rows have WIDTH floats.
 */
#include <stdint.h>

enum { WIDTH = 4 };

/* buffers: tokens [T] I32, table [V, WIDTH], out [T, WIDTH]; dims: T. */
void embed(int64_t group, void *const *buffers, const int64_t *dims,
           void *scratch) {
  const int32_t *tokens = buffers[0];
  const float *table = buffers[1];
  float *out = buffers[2];
  for (int64_t t = group * 8; t < dims[0] && t < group * 8 + 8; ++t)
    for (int i = 0; i < WIDTH; ++i)
      out[t * WIDTH + i] = table[tokens[t] * WIDTH + i];
}

/* buffers: x [T, WIDTH], y [T, WIDTH], out [T, WIDTH]; dims: T. A row a
 * workgroup. */
void add_rows(int64_t group, void *const *buffers, const int64_t *dims,
              void *scratch) {
  const float *x = buffers[0], *y = buffers[1];
  float *out = buffers[2];
  float *row = scratch;
  for (int i = 0; i < WIDTH; ++i)
    row[i] = x[group * WIDTH + i] + y[group * WIDTH + i];
  for (int i = 0; i < WIDTH; ++i)
    out[group * WIDTH + i] = row[i];
}

/* Running sum over each sequence, continued from the slot. buffers: x
 * [T, WIDTH], cu_seqlens, slots, context_lens, state [P, WIDTH], out
 * [T, WIDTH]; dims: N. A sequence a workgroup. */
void running_sum(int64_t group, void *const *buffers, const int64_t *dims,
                 void *scratch) {
  const float *x = buffers[0];
  const int32_t *ends = buffers[1], *slots = buffers[2], *context = buffers[3];
  float *state = buffers[4], *out = buffers[5];
  int32_t slot = slots[group];
  for (int i = 0; i < WIDTH; ++i) {
    float sum = slot >= 0 && context[group] ? state[slot * WIDTH + i] : 0;
    for (int32_t t = ends[group]; t < ends[group + 1]; ++t) {
      sum = sum * 0.75f + x[t * WIDTH + i];
      out[t * WIDTH + i] = slot < 0 ? 0 : sum;
    }
    if (slot >= 0 && ends[group] < ends[group + 1])
      state[slot * WIDTH + i] = sum;
  }
}

/* Keeps each token's row. buffers: x [T, WIDTH], cu_seqlens, slots,
 * context_lens, cache [P, C, WIDTH]; dims: C. */
void append_rows(int64_t group, void *const *buffers, const int64_t *dims,
                 void *scratch) {
  const float *x = buffers[0];
  const int32_t *ends = buffers[1], *slots = buffers[2], *context = buffers[3];
  float *cache = buffers[4];
  if (slots[group] < 0)
    return;
  float *rows =
      cache + ((int64_t)slots[group] * dims[0] + context[group]) * WIDTH;
  for (int32_t t = ends[group]; t < ends[group + 1]; ++t)
    for (int i = 0; i < WIDTH; ++i)
      rows[(t - ends[group]) * WIDTH + i] = x[t * WIDTH + i];
}

/* Sum of all rows a slot has seen, plus the last row of its running sum.
 * buffers: sums [T, WIDTH], cu_seqlens, slots, context_lens, cache
 * [P, C, WIDTH], out [N, WIDTH]; dims: C. */
void read_out(int64_t group, void *const *buffers, const int64_t *dims,
              void *scratch) {
  const float *sums = buffers[0];
  const int32_t *ends = buffers[1], *slots = buffers[2], *context = buffers[3];
  const float *cache = buffers[4];
  float *out = buffers[5];
  int32_t slot = slots[group], count = ends[group + 1] - ends[group];
  for (int i = 0; i < WIDTH; ++i) {
    float sum = 0;
    if (slot >= 0 && count)
      sum = sums[(ends[group + 1] - 1) * WIDTH + i];
    for (int32_t t = 0; slot >= 0 && t < context[group] + count; ++t)
      sum += cache[((int64_t)slot * dims[0] + t) * WIDTH + i];
    out[group * WIDTH + i] = sum;
  }
}

/* buffers: counter [1] F32; adds one. For chains of single workgroups. */
void count_up(int64_t group, void *const *buffers, const int64_t *dims,
              void *scratch) {
  *(float *)buffers[0] += 1;
}

/* Waits until buffers[0] [1] I32, which another thread sets, is not zero. */
void wait_for(int64_t group, void *const *buffers, const int64_t *dims,
              void *scratch) {
  while (!__atomic_load_n((int32_t *)buffers[0], __ATOMIC_ACQUIRE))
    ;
}
