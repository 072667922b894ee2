// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times entry points, and the commands inside them, of an artefact. Bytes are
// those of the buffers a command names, each weight of an entry once, so
// bytes per second compares with the machine's memory bandwidth.

#include "tools/k3-bench/Options.h"
#include "tools/k3-bench/Workload.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>

using namespace k3;
using namespace k3::bench;

namespace {

struct Bench {
  std::shared_ptr<run::Session> session;
  std::unique_ptr<Workload> workload;
};

bool hasSequences(const run::EntryPlan &entry) {
  return entry.findRole(run::Role::Slots) >= 0 ||
         entry.findRole(run::Role::CuSeqlens) >= 0;
}

std::string nameOf(const run::EntryPlan &entry, const Sizes &sizes) {
  std::string name = entry.name;
  if (hasSequences(entry))
    name += "/tokens:" + std::to_string(sizes.tokens) +
            "/batch:" + std::to_string(sizes.batch) +
            "/context:" + std::to_string(sizes.context);
  for (const auto &[dim, size] : sizes.dims)
    name += "/" + dim + ":" + std::to_string(size);
  return name;
}

Status prepare(std::shared_ptr<const run::Model> model, const Options &options,
               const run::EntryPlan &entry, const Sizes &sizes, Bench &out) {
  run::SessionOptions wanted;
  wanted.threads = options.threads;
  wanted.slots = sizes.batch;
  wanted.capacity = sizes.context + sizes.tokens;
  K3_TRY(run::Session::create(std::move(model), wanted, out.session));
  K3_TRY(Workload::create(*out.session, entry, sizes, out.workload));
  // Warm: code, workspace, threads; a device makes its graph in the second run.
  K3_TRY(out.workload->run());
  K3_TRY(out.workload->run());
  return out.session->wait();
}

/// A device's runs overlap with the host that enqueues them, so that several
/// go between two waits.
void timeEntry(benchmark::State &state, Bench &bench, int64_t tokens) {
  int64_t runs = bench.session->slots().space().isHost() ? 1 : 16;
  while (state.KeepRunningBatch(runs)) {
    Status status;
    for (int64_t i = 0; i < runs && status.ok(); ++i)
      status = bench.workload->run();
    if (status.ok())
      status = bench.session->wait();
    if (!status.ok())
      return state.SkipWithError(status.render().c_str());
  }
  state.SetBytesProcessed(state.iterations() * bench.workload->entryBytes());
  if (tokens)
    state.SetItemsProcessed(state.iterations() * tokens);
}

/// Seconds of every command in `repeat` runs.
Status recordCommands(Bench &bench, int64_t repeat, size_t commands,
                      std::vector<std::vector<double>> &out) {
  std::vector<double> times;
  auto note = [](void *user, const char *, int64_t start, int64_t end,
                 int64_t) {
    static_cast<std::vector<double> *>(user)->push_back(double(end - start) *
                                                        1e-9);
  };
  bench.session->setTrace({note, &times});
  out.assign(commands, {});
  Status status;
  for (int64_t i = 0; i < repeat && status.ok(); ++i) {
    times.clear();
    status = bench.workload->run();
    // Copies of updated inputs come before the commands.
    size_t extra = times.size() - std::min(times.size(), commands);
    for (size_t c = 0; c + extra < times.size(); ++c)
      out[c].push_back(times[c + extra]);
  }
  bench.session->setTrace({});
  return status;
}

Status addCommands(const run::EntryPlan &entry, const Sizes &sizes,
                   const Options &options, std::shared_ptr<Bench> bench) {
  std::vector<std::vector<double>> times;
  K3_TRY(recordCommands(*bench, std::max<int64_t>(options.repeat, 1),
                        entry.commands.size(), times));
  for (size_t i = 0; i < entry.commands.size(); ++i) {
    std::string name = nameOf(entry, sizes) + "/" + std::to_string(i) + ":" +
                       entry.commands[i].label;
    auto replay = [bench, i, samples = times[i]](benchmark::State &state) {
      size_t next = 0;
      for (auto step : state)
        state.SetIterationTime(samples[next++ % samples.size()]);
      state.SetBytesProcessed(state.iterations() *
                              bench->workload->commandBytes(i));
    };
    if (!times[i].empty())
      benchmark::RegisterBenchmark(name.c_str(), replay)
          ->Iterations(int64_t(times[i].size()))
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
  }
  return {};
}

Status addEntry(std::shared_ptr<const run::Model> model, const Options &options,
                const run::EntryPlan &entry, const Sizes &sizes) {
  auto bench = std::make_shared<Bench>();
  K3_TRY(
      prepare(model, options, entry, sizes, *bench).in(nameOf(entry, sizes)));
  int64_t tokens = hasSequences(entry) ? sizes.tokens * sizes.batch : 0;
  benchmark::RegisterBenchmark(nameOf(entry, sizes).c_str(),
                               [bench, tokens](benchmark::State &state) {
                                 timeEntry(state, *bench, tokens);
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
  return options.commands ? addCommands(entry, sizes, options, bench)
                          : Status();
}

Status addBenchmarks(const Options &options) {
  run::ModelOptions wanted;
  wanted.weightsDir = options.weights;
  wanted.target = options.target;
  wanted.device = options.device;
  std::shared_ptr<const run::Model> model;
  K3_TRY(run::Model::load(options.artefact, wanted, model));
  benchmark::AddCustomContext("k3_target", model->target());
  std::vector<const run::EntryPlan *> entries;
  for (const std::string &name : options.entries) {
    entries.emplace_back();
    K3_TRY(model->findEntry(name, entries.back()));
  }
  if (options.entries.empty())
    for (const run::EntryPlan &entry : model->plan().entries)
      entries.push_back(&entry);
  for (const run::EntryPlan *entry : entries)
    for (int64_t tokens : options.tokens)
      for (int64_t batch : options.batch)
        for (int64_t context : options.context)
          K3_TRY(addEntry(model, options, *entry,
                          {tokens, batch, context, options.dims}));
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  benchmark::Initialize(&argc, argv, [] {
    std::fputs(usageText, stdout);
    benchmark::PrintDefaultHelp();
  });
  Status status = parseOptions(argc, argv, options);
  if (status.ok() && options.help) {
    std::fputs(usageText, stdout);
    return 0;
  }
  if (status.ok())
    status = addBenchmarks(options);
  if (!status.ok()) {
    std::fprintf(stderr, "k3-bench: %s\n", status.render().c_str());
    return int(status.code());
  }
  benchmark::RunSpecifiedBenchmarks();
  // Sessions end here: a driver may be gone when the process exits.
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return 0;
}
