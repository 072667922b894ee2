/* Part of k3, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Continues a prompt of token ids, always taking the likeliest token:
 *   greedy model.fatbin CHECKPOINT_DIR COUNT ID...
 */
#include "k3rt.h"

#include <stdio.h>
#include <stdlib.h>

static void check(k3_code code) {
  if (code == K3_OK)
    return;
  fprintf(stderr, "greedy: %s\n", k3rt_last_error());
  exit(code);
}

static k3_tensor ints(const char *name, int32_t *data, int64_t count) {
  return (k3_tensor){name,   K3_I32, 1, {count}, data, count * sizeof(int32_t),
                     K3_HOST};
}

static int32_t likeliest(const float *logits, int64_t count) {
  int32_t best = 0;
  for (int32_t i = 1; i < count; ++i)
    if (logits[i] > logits[best])
      best = i;
  return best;
}

/* Runs one sequence through an entry point and returns its next token. */
static int32_t step(k3rt_session *session, const char *entry, int32_t slot,
                    int32_t *tokens, int32_t count, float *logits,
                    int64_t vocabulary) {
  int32_t ends[] = {0, count};
  k3_tensor inputs[] = {ints("tokens", tokens, count),
                        ints("cu_seqlens", ends, 2), ints("slots", &slot, 1)};
  k3_tensor output = {"logits",        K3_F32, 2,
                      {1, vocabulary}, logits, vocabulary * sizeof(float),
                      K3_HOST};
  check(k3rt_run(session, entry, inputs, 3, &output, 1));
  return likeliest(logits, vocabulary);
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: greedy ARTEFACT CHECKPOINT_DIR COUNT ID...\n");
    return K3_BAD_USAGE;
  }
  k3rt_model_options options = {.struct_size = sizeof options,
                                .weights_dir = argv[2]};
  k3rt_model *model;
  k3rt_session *session;
  int32_t slot, count = argc - 4;
  check(k3rt_model_load(argv[1], &options, &model));
  check(k3rt_session_create(model, NULL, &session));
  check(k3rt_slot_create(session, &slot));

  k3_tensor logits;
  check(k3rt_entry_output(model, "decode", 0, NULL, 0, &logits));
  int64_t vocabulary = logits.shape[1];
  float *values = malloc(vocabulary * sizeof(float));
  int32_t *prompt = malloc(count * sizeof(int32_t));
  for (int32_t i = 0; i < count; ++i)
    prompt[i] = atoi(argv[i + 4]);

  int32_t next =
      step(session, "prefill", slot, prompt, count, values, vocabulary);
  for (int n = atoi(argv[3]); n > 0; --n) {
    printf("%d ", next);
    fflush(stdout);
    next = step(session, "decode", slot, &next, 1, values, vocabulary);
  }
  printf("\n");
  k3rt_session_destroy(session);
  k3rt_model_destroy(model);
  free(prompt);
  free(values);
  return 0;
}
