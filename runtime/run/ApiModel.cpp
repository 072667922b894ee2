// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C ABI: models and what they declare.

#include "runtime/run/ApiSupport.h"

using namespace k3;
using namespace k3::run;

namespace {

Status findEntry(const Model &model, const char *name, const EntryPlan *&out) {
  K3_TRY(requirePointer(name, "entry"));
  return model.findEntry(name, out);
}

Status checkIndex(int32_t index, size_t count, const std::string &what) {
  if (index >= 0 && size_t(index) < count)
    return {};
  return Status::error(Code::BadUsage, 432,
                       "there is no " + what + " " + std::to_string(index) +
                           " (there are " + std::to_string(count) + ")");
}

/// Binds what the given inputs say about dynamic dimensions.
Status bindGiven(const EntryPlan &entry, const k3_tensor *inputs, int32_t count,
                 Symbols &symbols) {
  if (count < 0)
    return Status::error(Code::BadUsage, 401, "'num_inputs' is negative");
  if (count > 0)
    K3_TRY(requirePointer(inputs, "inputs"));
  for (int32_t i = 0; i < count; ++i) {
    K3_TRY(requirePointer(inputs[i].name, "inputs[].name"));
    for (const ArgumentSpec &spec : entry.inputs)
      if (spec.name == inputs[i].name)
        K3_TRY(bindShape(spec, inputs[i], symbols).in(entry.name));
  }
  return {};
}

Status readAllocator(const k3rt_allocator &given, cuda::Allocator &out) {
  if (!given.allocate != !given.release)
    return Status::error(Code::BadUsage, 401,
                         "parameter 'allocator' has one function without the "
                         "other");
  out = {given.allocate, given.release, given.user};
  return {};
}

} // namespace

const char *k3rt_version(void) { return K3_VERSION; }

k3_code k3rt_model_load(const char *path, const k3rt_model_options *options,
                        k3rt_model **out) {
  return guarded([&]() -> Status {
    K3_TRY(requirePointer(out, "out"));
    *out = nullptr;
    K3_TRY(requirePointer(path, "path"));
    k3rt_model_options given;
    K3_TRY(readOptions(options, given));
    ModelOptions wanted;
    wanted.weightsDir = given.weights_dir ? given.weights_dir : "";
    wanted.target = given.target ? given.target : "";
    wanted.allowNonfinite = given.allow_nonfinite != 0;
    wanted.device = given.device ? given.device : "";
    K3_TRY(readAllocator(given.allocator, wanted.allocator));
    wanted.progress = given.progress;
    wanted.progressUser = given.progress_user;
    std::shared_ptr<const Model> model;
    K3_TRY(Model::load(path, wanted, model));
    *out = static_cast<k3rt_model *>(modelHandles().add(std::move(model)));
    return {};
  });
}

void k3rt_model_destroy(k3rt_model *model) {
  guarded([&]() -> Status {
    if (model && !modelHandles().remove(model)) {
      std::shared_ptr<const Model> none;
      return findModel(model, none);
    }
    return {};
  });
}

const char *k3rt_model_metadata(const k3rt_model *model, const char *key) {
  const char *value = nullptr;
  guarded([&]() -> Status {
    std::shared_ptr<const Model> found;
    K3_TRY(findModel(model, found));
    K3_TRY(requirePointer(key, "key"));
    if (const std::string *text = found->plan().findMetadata(key))
      value = text->c_str();
    return {};
  });
  return value;
}

const char *k3rt_model_entry(const k3rt_model *model, int32_t index) {
  const char *name = nullptr;
  guarded([&]() -> Status {
    std::shared_ptr<const Model> found;
    K3_TRY(findModel(model, found));
    const std::vector<EntryPlan> &entries = found->plan().entries;
    K3_TRY(checkIndex(index, entries.size(), "entry"));
    name = entries[index].name.c_str();
    return {};
  });
  return name;
}

k3_code k3rt_model_state(const k3rt_model *model, int32_t index,
                         k3_tensor *out) {
  return guarded([&]() -> Status {
    std::shared_ptr<const Model> found;
    K3_TRY(findModel(model, found));
    K3_TRY(requirePointer(out, "out"));
    const std::vector<state::StateSpec> &states = found->plan().states;
    K3_TRY(checkIndex(index, states.size(), "state"));
    const state::StateSpec &state = states[index];
    *out = {};
    out->name = state.name.c_str();
    out->dtype = state.dtype;
    out->rank = int32_t(state.shape.size());
    std::copy(state.shape.begin(), state.shape.end(), out->shape);
    return {};
  });
}

k3_code k3rt_entry_input(const k3rt_model *model, const char *entry,
                         int32_t index, k3_tensor *out) {
  return guarded([&]() -> Status {
    std::shared_ptr<const Model> found;
    K3_TRY(findModel(model, found));
    K3_TRY(requirePointer(out, "out"));
    const EntryPlan *plan;
    K3_TRY(findEntry(*found, entry, plan));
    K3_TRY(checkIndex(index, plan->inputs.size(), "input"));
    describe(plan->inputs[index], Symbols(found->plan().symbols), *out);
    return {};
  });
}

k3_code k3rt_entry_output(const k3rt_model *model, const char *entry,
                          int32_t index, const k3_tensor *inputs,
                          int32_t num_inputs, k3_tensor *out) {
  return guarded([&]() -> Status {
    std::shared_ptr<const Model> found;
    K3_TRY(findModel(model, found));
    K3_TRY(requirePointer(out, "out"));
    const EntryPlan *plan;
    K3_TRY(findEntry(*found, entry, plan));
    K3_TRY(checkIndex(index, plan->outputs.size(), "output"));
    Symbols symbols(found->plan().symbols);
    K3_TRY(bindGiven(*plan, inputs, num_inputs, symbols));
    describe(plan->outputs[index], symbols, *out);
    return {};
  });
}
