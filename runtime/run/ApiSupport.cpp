// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's only globals: the two handle tables, and a last error a
// thread.

#include "runtime/run/ApiSupport.h"

using namespace k3;
using namespace k3::run;

namespace {

thread_local std::string lastError;

constexpr const char *outOfMemory =
    "error[K3-E0433]: the process is out of memory";

} // namespace

ModelHandles &k3::run::modelHandles() {
  // Never destroyed: threads may still call while the process exits.
  static ModelHandles &table = *new ModelHandles;
  return table;
}

SessionHandles &k3::run::sessionHandles() {
  static SessionHandles &table = *new SessionHandles;
  return table;
}

k3_code k3::run::report(const Status &status) noexcept {
  if (status.ok()) {
    lastError.clear();
    return K3_OK;
  }
  try {
    lastError = status.render();
  } catch (...) {
    return reportOutOfMemory();
  }
  return k3_code(status.code());
}

k3_code k3::run::reportOutOfMemory() noexcept {
  try {
    lastError = outOfMemory;
  } catch (...) {
    lastError.clear();
  }
  return K3_RESOURCES;
}

k3_code k3::run::reportException() noexcept {
  try {
    lastError = "error[K3-E0434]: an exception reached the C ABI";
  } catch (...) {
    lastError.clear();
  }
  return K3_INTERNAL;
}

Status k3::run::requirePointer(const void *pointer, const char *parameter) {
  if (pointer)
    return {};
  return Status::error(Code::BadUsage, 401,
                       std::string("parameter '") + parameter + "' is null");
}

Status k3::run::findModel(const k3rt_model *handle,
                          std::shared_ptr<const Model> &out) {
  K3_TRY(requirePointer(handle, "model"));
  out = modelHandles().find(handle);
  if (out)
    return {};
  return Status::error(Code::BadUsage, 401,
                       SessionHandles::hasKind(handle)
                           ? "parameter 'model' is a session"
                           : "parameter 'model' is not a live model");
}

Status k3::run::findSession(const k3rt_session *handle,
                            std::shared_ptr<Session> &out) {
  K3_TRY(requirePointer(handle, "session"));
  out = sessionHandles().find(handle);
  if (out)
    return {};
  return Status::error(Code::BadUsage, 401,
                       ModelHandles::hasKind(handle)
                           ? "parameter 'session' is a model"
                           : "parameter 'session' is not a live session");
}

Status k3::run::readOptions(const void *given, void *out, size_t size) {
  constexpr size_t most = 4096;
  size_t theirs;
  std::memcpy(&theirs, given, sizeof(theirs));
  if (theirs < sizeof(theirs) || theirs > most)
    return Status::error(Code::BadUsage, 402,
                         "options: struct_size is " + std::to_string(theirs) +
                             " (wanted " + std::to_string(size) + ")");
  const char *bytes = static_cast<const char *>(given);
  for (size_t i = size; i < theirs; ++i)
    if (bytes[i])
      return Status::error(
          Code::BadUsage, 402,
          "options: struct_size is " + std::to_string(theirs) +
              " and uses fields that this library does not know (wanted " +
              std::to_string(size) + ")",
          "use a k3rt library as new as the header");
  std::memcpy(out, given, std::min(size, theirs));
  return {};
}

void k3::run::describe(const TensorSpec &spec, const Symbols &symbols,
                       k3_tensor &out) {
  out = {};
  out.name = spec.name.c_str();
  out.dtype = spec.dtype;
  out.rank = int32_t(spec.dims.size());
  for (size_t i = 0; i < spec.dims.size(); ++i)
    out.shape[i] = symbols.valueOf(spec.dims[i]);
}

const char *k3rt_last_error(void) { return lastError.c_str(); }
