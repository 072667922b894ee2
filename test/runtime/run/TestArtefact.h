// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small artefacts made without the compiler, and a C ABI session on them.

#ifndef K3_TEST_RUNTIME_RUN_TESTARTEFACT_H
#define K3_TEST_RUNTIME_RUN_TESTARTEFACT_H

#include "runtime/include/k3rt.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace k3::test {

constexpr int64_t width = 4;
constexpr int64_t vocabulary = 16;

/// A folder of its own for one test, removed afterwards.
class TempFolder {
public:
  TempFolder();
  ~TempFolder();
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  const std::string path;
};

/// What differs between the artefacts that tests write.
struct ArtefactChange {
  std::string sourceSha256 = std::string(64, '5');
  std::string codeTarget = "x86-64-v3";
  std::vector<std::string> features;
  std::string missingKernel; // named instead of 'embed'
};

/// A language model: embedding, running sum (state 'sum' [width]), a cache of
/// all rows (state 'rows' [capacity, width]).
///   prefill(tokens, cu_seqlens, slots, context_lens) -> logits [N, width]
///   score(the same) -> logits [T, width]
///   wait(flag [1] I32) -> done [1] F32, which ends when flag is not zero
void writeLanguageModel(const std::string &path,
                        const ArtefactChange &change = {});
/// The embedding table it needs: row v is v + first, v + 0.5, v + 1, v + 1.5.
void writeWeights(const std::string &folder, float first = 0);

/// Operations on the caller's memory, no state.
///   add(x [T, width], y [T, width]) -> sum [T, width]
///   scan(x, cu_seqlens, slots, context_lens, state [P, width])
///     -> (out [T, width], new_state [P, width]), new_state updates state
///   count() -> total [1] F32: ten single-workgroup commands
void writeOperations(const std::string &path);

/// Fails the test with the library's text.
inline void check(k3_code code) { ASSERT_EQ(code, K3_OK) << k3rt_last_error(); }

k3_tensor ints(const char *name, std::vector<int32_t> &values);
k3_tensor floats(const char *name, std::vector<float> &values,
                 std::vector<int64_t> shape);

/// A model and a session on it, destroyed at the end.
class Runtime {
public:
  /// `weights` empty: none.
  Runtime(const std::string &artefact, const std::string &weights,
          k3rt_session_options options = {});
  ~Runtime();
  Runtime(const Runtime &) = delete;

  int32_t newSlot();
  int64_t length(int32_t slot);

  /// Runs 'prefill' or 'score' on packed prompts and returns the logits.
  k3_code run(const char *entry, std::vector<int32_t> tokens,
              std::vector<int32_t> cuSeqlens, std::vector<int32_t> slots,
              std::vector<float> &logits);
  /// The same, and it must succeed.
  std::vector<float> logits(const char *entry, std::vector<int32_t> tokens,
                            std::vector<int32_t> cuSeqlens,
                            std::vector<int32_t> slots);

  k3rt_model *model = nullptr;
  k3rt_session *session = nullptr;
};

} // namespace k3::test

#endif // K3_TEST_RUNTIME_RUN_TESTARTEFACT_H
