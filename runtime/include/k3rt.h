/* Part of k3, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The k3 runtime: load an artefact, map its weights, run its entry points.
 *
 * Threads: a model is immutable after k3rt_model_load and may be shared; a
 * session serves one call at a time (a second call gets K3_BUSY).
 * Ownership: every k3rt_*_create/load has a k3rt_*_destroy; buffers passed in
 * are borrowed for the duration of the call.
 * Errors: every call returns a k3_code; k3rt_last_error() has the text, one
 * line, valid until the next call on the same thread.
 */
#ifndef K3RT_H
#define K3RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define K3RT_API __attribute__((visibility("default")))

/* The codes are also the tools' exit codes. */
typedef enum k3_code {
  K3_OK = 0,
  K3_BAD_INPUT = 1,    /* model, artefact, weights, state or argument refused */
  K3_BAD_USAGE = 2,    /* the call itself is wrong: null handle, unknown name */
  K3_ENVIRONMENT = 3,  /* no usable code object for this machine */
  K3_RESOURCES = 4,    /* memory or a limit */
  K3_IO = 5,           /* cannot open, read, write or rename */
  K3_DEVICE_FAULT = 6, /* the device failed; the session is lost */
  K3_CHECK_FAILED = 7, /* a result is out of bounds */
  K3_BUSY = 8,         /* the session is in use by another thread */
  K3_INTERNAL = 70     /* our bug */
} k3_code;

typedef enum k3_dtype {
  K3_F32 = 0,
  K3_BF16 = 1,
  K3_F16 = 2,
  K3_F64 = 3,
  K3_I32 = 4,
  K3_I64 = 5,
  K3_U8 = 6
} k3_dtype;

#define K3_MAX_RANK 8

typedef enum k3_memory {
  K3_HOST = 0,
  K3_DEVICE = 1 /* of the model's CUDA device, aligned to 16 bytes */
} k3_memory;

/* A dense row-major tensor in caller's memory. `bytes` is the size of the
 * buffer at `data` and must be at least the tensor's. */
typedef struct k3_tensor {
  const char *name; /* the argument's name in the entry point */
  k3_dtype dtype;
  int32_t rank;
  int64_t shape[K3_MAX_RANK];
  void *data;
  size_t bytes;
  k3_memory memory; /* where `data` is; K3_HOST for a model on the CPU */
} k3_tensor;

typedef struct k3rt_model k3rt_model;
typedef struct k3rt_session k3rt_session;

/* Takes and releases memory of a CUDA device, in the order of `stream`.
 * `allocate` returns memory aligned to 256 bytes, or NULL when there is none.
 * Called by the thread that loads, creates, runs or destroys. */
typedef struct k3rt_allocator {
  void *(*allocate)(void *user, size_t bytes, void *stream);
  void (*release)(void *user, void *memory, size_t bytes, void *stream);
  void *user;
} k3rt_allocator;

typedef struct k3rt_model_options {
  size_t struct_size; /* sizeof(k3rt_model_options) */
  const char
      *weights_dir;   /* checkpoint folder; NULL if the model has no weights */
  const char *target; /* code object to use; NULL picks the best for the
                         device */
  int32_t allow_nonfinite; /* 1: weights may hold NaN or Inf */
  void (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
  void *progress_user;
  const char *device;       /* "cpu" or "cuda:N"; NULL is the CPU */
  k3rt_allocator allocator; /* of device memory; zeros: the driver's */
} k3rt_model_options;

typedef struct k3rt_session_options {
  size_t struct_size;
  int32_t threads;    /* 0: one per CPU this process may use */
  int64_t slots;      /* sequences that can be alive at once; 0: 1 */
  int64_t capacity;   /* tokens a slot can hold; 0: 4096 */
  int32_t use_stream; /* 1: run on `stream` */
  void *stream;       /* a CUstream (cudaStream_t) of the model's device */
} k3rt_session_options;

K3RT_API const char *k3rt_version(void);
K3RT_API const char *k3rt_last_error(void);

K3RT_API k3_code k3rt_model_load(const char *path,
                                 const k3rt_model_options *options,
                                 k3rt_model **out);
K3RT_API void k3rt_model_destroy(k3rt_model *model);

/* Metadata written by the importer ("eos_token_id", "vocab_size", ...); NULL
 * when there is no such key. */
K3RT_API const char *k3rt_model_metadata(const k3rt_model *model,
                                         const char *key);

/* The index-th entry point's name; NULL past the end. */
K3RT_API const char *k3rt_model_entry(const k3rt_model *model, int32_t index);
/* Fills `out` (name, dtype, rank, shape of one slot; -1 is the capacity) for
 * the index-th state. K3_BAD_USAGE past the end. */
K3RT_API k3_code k3rt_model_state(const k3rt_model *model, int32_t index,
                                  k3_tensor *out);

K3RT_API k3_code k3rt_session_create(k3rt_model *model,
                                     const k3rt_session_options *options,
                                     k3rt_session **out);
K3RT_API void k3rt_session_destroy(k3rt_session *session);

/* Slots hold what a sequence has seen: recurrent states, convolution windows,
 * latent caches and the number of tokens. A fresh slot holds no token. */
K3RT_API k3_code k3rt_slot_create(k3rt_session *session, int32_t *slot);
K3RT_API k3_code k3rt_slot_release(k3rt_session *session, int32_t slot);
K3RT_API k3_code k3rt_slot_reset(k3rt_session *session, int32_t slot);
K3RT_API k3_code k3rt_slot_fork(k3rt_session *session, int32_t slot,
                                int32_t *copy);
K3RT_API k3_code k3rt_slot_length(k3rt_session *session, int32_t slot,
                                  int64_t *tokens);
K3RT_API k3_code k3rt_slot_save(k3rt_session *session, int32_t slot,
                                const char *path);
K3RT_API k3_code k3rt_slot_load(k3rt_session *session, int32_t slot,
                                const char *path);
/* Copies one state of a slot out, e.g. "layers.0.S", for tests and tools.
 * A per-token state gives its first k3rt_slot_length rows. With data NULL only
 * dtype, rank and shape are filled in. */
K3RT_API k3_code k3rt_slot_read(k3rt_session *session, int32_t slot,
                                const char *state, k3_tensor *out);

/* Threads come from OpenMP (LLVM's libomp) and are kept between calls; idle
 * ones look for work for 200 ms unless the process sets KMP_BLOCKTIME. Results
 * do not depend on how many there are.
 *
 * Runs an entry point. Inputs and outputs are matched by name; every output
 * of the entry must be given, with its final shape.
 *
 * Language-model entries take `tokens` I32 [T], `cu_seqlens` I32 [N + 1]
 * (starting at 0, ending at T, never decreasing) and `slots` I32 [N] (-1 is a
 * padded row: its tokens are computed on zeros, nothing is kept). The session
 * supplies `context_lens` and advances each slot's length when the run
 * succeeds. */
K3RT_API k3_code k3rt_run(k3rt_session *session, const char *entry,
                          const k3_tensor *inputs, int32_t num_inputs,
                          k3_tensor *outputs, int32_t num_outputs);

/* On a CUDA device a run is enqueued on the session's stream. It returns
 * without waiting when no output is in host memory and all host inputs
 * together have at most 1 MiB; then a fault of a kernel is reported by a later
 * call. After a fault the device is lost: every call on the model's sessions
 * returns K3_DEVICE_FAULT. A run that fails half-way without that leaves its
 * slots unusable until they are reset.
 *
 * Of `slots`, `cu_seqlens`, `context_lens` and `tokens` in device memory
 * nothing is checked; with `slots` there, `context_lens` must be given, and
 * lengths do not advance.
 *
 * The stream may be captured by the caller. Then outputs are in device memory,
 * host inputs keep the values of this call in every replay, lengths do not
 * advance, and the memory that the graph uses lives as long as the session. */

/* Says how many tokens a slot holds, after runs that could not advance it. */
K3RT_API k3_code k3rt_slot_set_length(k3rt_session *session, int32_t slot,
                                      int64_t tokens);
/* Waits until all runs so far are done. */
K3RT_API k3_code k3rt_session_wait(k3rt_session *session);
/* Goes on with another stream, in order with the runs so far unless one of
 * the streams is being captured. The stream must outlive its use. */
K3RT_API k3_code k3rt_session_set_stream(k3rt_session *session, void *stream);

/* Fills `out` (name, dtype, rank, shape; data and bytes are zeroed) for the
 * index-th input or output of an entry, given the inputs' shapes; dynamic
 * dimensions that the inputs do not bind are -1. K3_BAD_USAGE past the end. */
K3RT_API k3_code k3rt_entry_input(const k3rt_model *model, const char *entry,
                                  int32_t index, k3_tensor *out);
K3RT_API k3_code k3rt_entry_output(const k3rt_model *model, const char *entry,
                                   int32_t index, const k3_tensor *inputs,
                                   int32_t num_inputs, k3_tensor *out);

/* Called after every command with its label and time; NULL switches off. */
typedef void (*k3rt_trace_fn)(void *user, const char *label, int64_t start_ns,
                              int64_t end_ns, int64_t workgroups);
K3RT_API k3_code k3rt_session_trace(k3rt_session *session, k3rt_trace_fn fn,
                                    void *user);

#ifdef __cplusplus
}
#endif
#endif /* K3RT_H */
