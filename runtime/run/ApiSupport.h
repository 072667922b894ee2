// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every function of the C ABI goes through: handles to objects, options
// by size, failures to a code and this thread's last error.

#ifndef K3_RUNTIME_RUN_APISUPPORT_H
#define K3_RUNTIME_RUN_APISUPPORT_H

#include "runtime/base/Status.h"
#include "runtime/run/Handles.h"
#include "runtime/run/Session.h"

#include <cstring>
#include <new>

namespace k3::run {

using ModelHandles = Handles<const Model, HandleKind::Model>;
using SessionHandles = Handles<Session, HandleKind::Session>;

ModelHandles &modelHandles();
SessionHandles &sessionHandles();

/// Keeps the text for k3rt_last_error and returns the code.
k3_code report(const Status &status) noexcept;
k3_code reportOutOfMemory() noexcept;
k3_code reportException() noexcept;

/// Runs `body`, which returns a Status. Nothing thrown leaves it.
template <class Body> k3_code guarded(Body body) noexcept {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    return reportOutOfMemory();
  } catch (...) {
    return reportException();
  }
}

Status requirePointer(const void *pointer, const char *parameter);
Status findModel(const k3rt_model *handle, std::shared_ptr<const Model> &out);
Status findSession(const k3rt_session *handle, std::shared_ptr<Session> &out);

/// Copies the caller's options into `out` (zeroed beforehand): an older,
/// shorter struct leaves the rest zero; a newer one must not use fields that
/// this library does not know.
Status readOptions(const void *given, void *out, size_t size);
template <class Options>
Status readOptions(const Options *given, Options &out) {
  out = {};
  return given ? readOptions(given, &out, sizeof(Options)) : Status();
}

/// Looks the session up, takes it for this thread and runs `body` on it.
template <class Body> k3_code withSession(k3rt_session *handle, Body body) {
  return guarded([&]() -> Status {
    std::shared_ptr<Session> session;
    K3_TRY(findSession(handle, session));
    Session::Use use(*session);
    K3_TRY(use.take());
    K3_TRY(session->usable());
    return body(*session);
  });
}

/// Name, type and shape of `spec`; unbound dimensions are -1.
void describe(const TensorSpec &spec, const Symbols &symbols, k3_tensor &out);

} // namespace k3::run

#endif // K3_RUNTIME_RUN_APISUPPORT_H
