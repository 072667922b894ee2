// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense values are small and spread like activations; token ids walk through
// the vocabulary.

#include "tools/k3-bench/Workload.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace k3;
using namespace k3::bench;
using namespace k3::run;

namespace {

/// A fixed sequence of numbers in [-1, 1).
class Noise {
public:
  float next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return float(int32_t(state >> 32)) / 2147483648.0f;
  }

private:
  uint64_t state = 1;
};

void fillFloats(const k3_tensor &tensor, size_t count) {
  Noise noise;
  for (size_t i = 0; i < count; ++i) {
    float value = noise.next();
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if (tensor.dtype == K3_F32)
      static_cast<float *>(tensor.data)[i] = value;
    else if (tensor.dtype == K3_F64)
      static_cast<double *>(tensor.data)[i] = value;
    else if (tensor.dtype == K3_BF16)
      static_cast<uint16_t *>(tensor.data)[i] = uint16_t(bits >> 16);
  }
}

int64_t countOf(const k3_tensor &tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    count *= tensor.shape[i];
  return count;
}

Status usage(const std::string &text, const std::string &help) {
  return Status::error(Code::BadUsage, 435, text, help);
}

} // namespace

Status Workload::create(Session &session, const EntryPlan &entry,
                        const Sizes &sizes, std::unique_ptr<Workload> &out) {
  std::unique_ptr<Workload> workload(new Workload(session, entry, sizes));
  K3_TRY(workload->makeSlots());
  K3_TRY(workload->makeInputs());
  K3_TRY(workload->makeOutputs());
  out = std::move(workload);
  return {};
}

Status Workload::makeSlots() {
  state::SlotPool &pool = session.slots();
  for (int64_t n = 0; n < sizes.batch; ++n) {
    slots.push_back(int32_t(n));
    int32_t taken;
    if (!pool.states().empty() && !pool.checkAlive(int32_t(n)).ok())
      K3_TRY(pool.acquire(taken));
  }
  // A slot with a past needs bytes that kernels can compute with.
  for (size_t i = 0; sizes.context > 0 && i < pool.states().size(); ++i)
    K3_TRY(pool.space().zero(pool.base(i), uint64_t(pool.poolBytes(i))));
  return {};
}

/// What is not about sequences is measured without copies to the device.
Status Workload::moveToDevice(k3_tensor &tensor) {
  MemorySpace &space = session.slots().space();
  if (space.isHost() || tensor.bytes == 0)
    return {};
  K3_TRY(SpaceBlock::allocate(space, tensor.bytes, tensor.name,
                              deviceMemory.emplace_back()));
  void *memory = deviceMemory.back().data();
  K3_TRY(space.write(memory, tensor.data, tensor.bytes));
  tensor.data = memory;
  tensor.memory = K3_DEVICE;
  return {};
}

k3_tensor &Workload::add(const TensorSpec &spec, std::vector<k3_tensor> &list,
                         const Symbols &symbols) {
  k3_tensor tensor = {};
  tensor.name = spec.name.c_str();
  tensor.dtype = spec.dtype;
  tensor.rank = int32_t(spec.dims.size());
  for (size_t i = 0; i < spec.dims.size(); ++i)
    tensor.shape[i] = symbols.valueOf(spec.dims[i]);
  memory.emplace_back(countOf(tensor) * elementBytes(tensor.dtype));
  tensor.data = memory.back().data();
  tensor.bytes = memory.back().size();
  list.push_back(tensor);
  return list.back();
}

Status Workload::makeInputs() {
  const ModelPlan &plan = session.model().plan();
  Symbols symbols(plan.symbols);
  for (size_t i = 0; i < plan.symbols.size(); ++i)
    if (auto found = sizes.dims.find(plan.symbols[i]);
        found != sizes.dims.end())
      K3_TRY(symbols.bind(int32_t(i), found->second, "--dim"));
  for (const ArgumentSpec &input : entry.inputs) {
    if (input.role == Role::Plain || input.dims[0].symbol < 0)
      continue;
    int64_t size = input.role == Role::Tokens      ? sizes.tokens * sizes.batch
                   : input.role == Role::CuSeqlens ? sizes.batch + 1
                                                   : sizes.batch;
    K3_TRY(symbols.bind(input.dims[0].symbol, size, "--tokens and --batch"));
  }
  for (const ArgumentSpec &input : entry.inputs) {
    if (input.role == Role::ContextLens && !plan.states.empty())
      continue; // the session's
    for (const Dim &dim : input.dims)
      if (dim.symbol >= 0 && !symbols.isBound(dim.symbol))
        return usage("input '" + input.name + "' has a dimension '" +
                         plan.symbols[dim.symbol] + "' of unknown size",
                     "give it: --dim=" + plan.symbols[dim.symbol] + "=SIZE");
    k3_tensor &tensor = add(input, inputs, symbols);
    fillFloats(tensor, size_t(countOf(tensor)));
    auto *ints = static_cast<int32_t *>(tensor.data);
    for (int64_t n = 0, end = countOf(tensor);
         tensor.dtype == K3_I32 && n < end; ++n)
      switch (input.role) {
      case Role::CuSeqlens:
        ints[n] = int32_t(n * sizes.tokens);
        break;
      case Role::Slots:
        ints[n] = slots[n];
        break;
      case Role::ContextLens:
        ints[n] = int32_t(sizes.context);
        break;
      case Role::Tokens:
        ints[n] = int32_t(n * 7 % std::max<int64_t>(plan.vocabulary, 1));
        break;
      case Role::Plain:
        break;
      }
    if (input.role == Role::Plain)
      K3_TRY(moveToDevice(tensor));
  }
  return {};
}

Status Workload::makeOutputs() {
  const ModelPlan &plan = session.model().plan();
  Symbols symbols(plan.symbols);
  if (plan.slotsSymbol >= 0 && !plan.states.empty())
    K3_TRY(symbols.bind(plan.slotsSymbol, session.slots().slots(), "session"));
  for (const k3_tensor &input : inputs)
    for (const ArgumentSpec &spec : entry.inputs)
      if (spec.name == input.name)
        K3_TRY(bindShape(spec, input, symbols));
  for (const TensorSpec &output : entry.outputs) {
    for (const Dim &dim : output.dims)
      if (dim.symbol >= 0 && !symbols.isBound(dim.symbol))
        return usage("output '" + output.name + "' has a dimension '" +
                         plan.symbols[dim.symbol] + "' of unknown size",
                     "");
    K3_TRY(moveToDevice(add(output, outputs, symbols)));
  }
  // Pools on a device are updated in place, as a server does it.
  for (const Update &update : entry.updates)
    for (const k3_tensor &input : inputs)
      if (entry.inputs[update.input].name == input.name &&
          input.memory == K3_DEVICE)
        outputs[update.output].data = input.data;
  return {};
}

Status Workload::run() {
  if (!session.slots().states().empty())
    for (int32_t slot : slots)
      session.slots().setLength(slot, sizes.context);
  return session.run(entry.name, inputs, outputs);
}

/// Of a state, what the call's sequences reach.
int64_t Workload::bufferBytes(const BufferRef &buffer) const {
  if (buffer.place != Place::State)
    return session.blocks().of(buffer.place)[buffer.index].bytes;
  state::SlotPool &pool = session.slots();
  int64_t rows = sizes.context + sizes.tokens;
  return int64_t(pool.content(buffer.index, 0, rows).size()) * sizes.batch;
}

int64_t Workload::commandBytes(size_t index) const {
  int64_t bytes = 0;
  for (const BufferRef &buffer : entry.commands[index].buffers)
    bytes += bufferBytes(buffer);
  return bytes;
}

int64_t Workload::entryBytes() const {
  int64_t bytes = 0;
  std::set<int32_t> weights;
  for (const CommandPlan &command : entry.commands)
    for (const BufferRef &buffer : command.buffers)
      if (buffer.place != Place::Weight || weights.insert(buffer.index).second)
        bytes += bufferBytes(buffer);
  return bytes;
}
