// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded model and one session, through the C ABI.

#ifndef K3_TOOLS_K3_RUN_MODELSESSION_H
#define K3_TOOLS_K3_RUN_MODELSESSION_H

#include "Options.h"

#include "runtime/include/k3rt.h"

#include <optional>

namespace k3::run {

/// A failed call of the C ABI as a status; its text is already complete.
class Failure {
public:
  Failure() = default;
  Failure(k3_code code) : code(code) {
    if (code != K3_OK)
      text = k3rt_last_error();
  }
  Failure(const Status &status) : code(k3_code(status.code())) {
    if (!status.ok())
      text = status.render();
  }
  explicit operator bool() const { return code != K3_OK; }

  k3_code code = K3_OK;
  std::string text;
};

/// Returns from a function that returns Failure.
#define K3_RUN_TRY(call)                                                       \
  do {                                                                         \
    if (::k3::run::Failure failed = (call))                                    \
      return failed;                                                           \
  } while (0)

class ModelSession {
public:
  ModelSession() = default;
  ModelSession(const ModelSession &) = delete;
  ModelSession &operator=(const ModelSession &) = delete;
  ~ModelSession();

  /// Loads the model.
  Failure open(const Options &options);
  /// Makes `session` with room for this many sequences of `capacity` tokens.
  Failure start(const Options &options, int64_t slots, int64_t capacity);

  /// Numbers of the model's metadata, or nothing.
  std::vector<int64_t> numbers(const char *key) const;

  k3rt_model *model = nullptr;
  k3rt_session *session = nullptr;
};

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_MODELSESSION_H
