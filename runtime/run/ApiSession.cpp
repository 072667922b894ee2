// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C ABI: sessions, slots and runs.

#include "runtime/run/ApiSupport.h"
#include "runtime/state/SlotFile.h"

using namespace k3;
using namespace k3::run;

namespace {

Status checkTensors(const k3_tensor *tensors, int32_t count,
                    const char *parameter) {
  if (count < 0)
    return Status::error(Code::BadUsage, 401,
                         std::string("'num_") + parameter + "' is " +
                             std::to_string(count));
  return count ? requirePointer(tensors, parameter) : Status();
}

state::ModelIdentity identityOf(const Session &session) {
  const ModelPlan &plan = session.model().plan();
  return {plan.sourceSha256, plan.precision};
}

} // namespace

k3_code k3rt_session_create(k3rt_model *model,
                            const k3rt_session_options *options,
                            k3rt_session **out) {
  return guarded([&]() -> Status {
    K3_TRY(requirePointer(out, "out"));
    *out = nullptr;
    std::shared_ptr<const Model> found;
    K3_TRY(findModel(model, found));
    k3rt_session_options given;
    K3_TRY(readOptions(options, given));
    SessionOptions wanted{given.threads, given.slots, given.capacity,
                          given.use_stream != 0, given.stream};
    std::shared_ptr<Session> session;
    K3_TRY(Session::create(std::move(found), wanted, session));
    *out =
        static_cast<k3rt_session *>(sessionHandles().add(std::move(session)));
    return {};
  });
}

void k3rt_session_destroy(k3rt_session *session) {
  guarded([&]() -> Status {
    if (session && !sessionHandles().remove(session)) {
      std::shared_ptr<Session> none;
      return findSession(session, none);
    }
    return {};
  });
}

k3_code k3rt_slot_create(k3rt_session *session, int32_t *slot) {
  return withSession(session, [&](Session &found) -> Status {
    K3_TRY(requirePointer(slot, "slot"));
    return found.slots().acquire(*slot);
  });
}

k3_code k3rt_slot_release(k3rt_session *session, int32_t slot) {
  return withSession(
      session, [&](Session &found) { return found.slots().release(slot); });
}

k3_code k3rt_slot_reset(k3rt_session *session, int32_t slot) {
  return withSession(session,
                     [&](Session &found) { return found.slots().reset(slot); });
}

k3_code k3rt_slot_fork(k3rt_session *session, int32_t slot, int32_t *copy) {
  return withSession(session, [&](Session &found) -> Status {
    K3_TRY(requirePointer(copy, "copy"));
    return found.slots().fork(slot, *copy);
  });
}

k3_code k3rt_slot_length(k3rt_session *session, int32_t slot, int64_t *tokens) {
  return withSession(session, [&](Session &found) -> Status {
    K3_TRY(requirePointer(tokens, "tokens"));
    K3_TRY(found.slots().checkAlive(slot));
    *tokens = found.slots().length(slot);
    return {};
  });
}

k3_code k3rt_slot_save(k3rt_session *session, int32_t slot, const char *path) {
  return withSession(session, [&](Session &found) -> Status {
    K3_TRY(requirePointer(path, "path"));
    return state::saveSlot(found.slots(), slot, identityOf(found), path);
  });
}

k3_code k3rt_slot_load(k3rt_session *session, int32_t slot, const char *path) {
  return withSession(session, [&](Session &found) -> Status {
    K3_TRY(requirePointer(path, "path"));
    return state::loadSlot(found.slots(), slot, identityOf(found), path);
  });
}

k3_code k3rt_slot_read(k3rt_session *session, int32_t slot, const char *state,
                       k3_tensor *out) {
  return withSession(session, [&](Session &found) -> Status {
    K3_TRY(requirePointer(state, "state"));
    K3_TRY(requirePointer(out, "out"));
    return state::readSlot(found.slots(), slot, state, *out);
  });
}

k3_code k3rt_run(k3rt_session *session, const char *entry,
                 const k3_tensor *inputs, int32_t num_inputs,
                 k3_tensor *outputs, int32_t num_outputs) {
  return withSession(session, [&](Session &found) -> Status {
    K3_TRY(requirePointer(entry, "entry"));
    K3_TRY(checkTensors(inputs, num_inputs, "inputs"));
    K3_TRY(checkTensors(outputs, num_outputs, "outputs"));
    return found.run(entry, {inputs, size_t(num_inputs)},
                     {outputs, size_t(num_outputs)});
  });
}

k3_code k3rt_slot_set_length(k3rt_session *session, int32_t slot,
                             int64_t tokens) {
  return withSession(
      session, [&](Session &found) { return found.setLength(slot, tokens); });
}

k3_code k3rt_session_wait(k3rt_session *session) {
  return withSession(session, [](Session &found) { return found.wait(); });
}

k3_code k3rt_session_set_stream(k3rt_session *session, void *stream) {
  return withSession(session,
                     [&](Session &found) { return found.useStream(stream); });
}

k3_code k3rt_session_trace(k3rt_session *session, k3rt_trace_fn fn,
                           void *user) {
  return withSession(session, [&](Session &found) -> Status {
    found.setTrace({fn, user});
    return {};
  });
}
