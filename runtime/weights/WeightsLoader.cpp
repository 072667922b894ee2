// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work is cut into tasks of some megabytes, each a contiguous part of one
// tensor: read, looked at, converted, packed.

#include "runtime/weights/WeightsLoader.h"

#include "runtime/base/Escape.h"
#include "runtime/format/PackedSize.h"
#include "runtime/weights/CheckWeights.h"
#include "runtime/weights/Convert.h"
#include "runtime/weights/Packing.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <omp.h>

using namespace k3;
using artefact::Packing;

namespace {

constexpr int64_t taskBytes = 4 << 20;
// Below this, starting threads takes longer than the work.
constexpr uint64_t leastParallelBytes = 2 << 20;
// How much is loaded before it is handed on.
constexpr uint64_t groupBytes = 256 << 20;

/// What tasks need to know of a weight.
struct Target {
  const WeightSources *sources = nullptr;
  Packing packing = Packing::None;
  DType from = DType::F32, to = DType::F32;
  bool isScale = false;
  /// A source has `units` units, elements or panels, of which each becomes
  /// `unitBytes` bytes.
  int64_t units = 0;
  uint64_t unitBytes = 0;
  int64_t rows = 1, inputs = 1; // of a matrix, when packed
  int64_t panels = 1;           // of a matrix
};

/// Units [begin, end) of one source.
struct Task {
  uint32_t target, source;
  int64_t begin, end;
};

Target targetOf(const WeightSources &sources) {
  const artefact::Weight &weight = *sources.weight;
  Target target;
  target.sources = &sources;
  target.packing = weight.packing();
  target.from = DType(weight.source_dtype());
  target.to = DType(weight.dtype());
  std::vector<int64_t> shape;
  if (weight.shape())
    shape.assign(weight.shape()->begin(), weight.shape()->end());
  std::string_view source(weight.source()->data(), weight.source()->size());
  constexpr std::string_view scale = "weight_scale";
  target.isScale = target.packing == Packing::ScalePanels ||
                   (target.to == DType::U8 && source.size() >= scale.size() &&
                    source.substr(source.size() - scale.size()) == scale);
  // The sizes were checked with the artefact.
  int64_t count = 0;
  if (!elementCount(shape, count))
    return target;
  count /= std::max<int64_t>(weight.stack(), 1);
  if (target.packing == Packing::None) {
    target.units = count;
    target.unitBytes = bytesOf(target.to);
    return target;
  }
  target.rows = shape[shape.size() - 2];
  target.inputs = shape.back();
  target.panels = (target.rows + panelRows - 1) / panelRows;
  target.unitBytes = panelBytes(target.packing, target.inputs);
  if (count > 0)
    target.units = count / (target.rows * target.inputs) * target.panels;
  return target;
}

class Loader {
public:
  Loader(const LoadOptions &options, std::vector<AlignedBuffer> &buffers)
      : options(options), buffers(buffers) {}

  /// Without a sink, everything is one group and stays in the buffers.
  Status run(const std::vector<WeightSources> &weights,
             const WeightSink *sink) {
    plan(weights);
    nonfinite.resize(targets.size());
    int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    if (total < leastParallelBytes)
      threads = 1;
    for (size_t begin = 0; begin < targets.size();) {
      size_t end = sink ? groupEnd(begin) : targets.size();
      for (size_t i = begin; i < end; ++i)
        K3_TRY(AlignedBuffer::allocate(
            targets[i].sources->weight->bytes(),
            "weight " + quote(targets[i].sources->name()), buffers[i]));
      loadTasks(firstTask[begin], firstTask[end], threads);
      K3_TRY(std::move(failure));
      for (size_t i = begin; sink && i < end; ++i) {
        K3_TRY((*sink)(i, buffers[i].span()));
        buffers[i] = {};
      }
      begin = end;
    }
    if (options.progress)
      options.progress(options.progressUser, total, total);
    return options.allowNonfinite ? Status() : checkFinite();
  }

private:
  /// At least one weight, and no more than a group's bytes.
  size_t groupEnd(size_t begin) const {
    size_t end = begin;
    uint64_t bytes = 0;
    do
      bytes += targets[end++].sources->weight->bytes();
    while (end < targets.size() &&
           targets[end].sources->weight->bytes() <=
               groupBytes - std::min(bytes, groupBytes));
    return end;
  }

  void plan(const std::vector<WeightSources> &weights) {
    buffers.resize(weights.size());
    for (const WeightSources &sources : weights) {
      firstTask.push_back(tasks.size());
      Target target = targetOf(sources);
      auto unit = int64_t(std::max<uint64_t>(target.unitBytes, 1));
      int64_t step = std::max<int64_t>(taskBytes / unit, 1);
      for (size_t i = 0; i < sources.entries.size(); ++i)
        for (int64_t begin = 0; begin < target.units; begin += step) {
          tasks.push_back({uint32_t(targets.size()), uint32_t(i), begin,
                           std::min(begin + step, target.units)});
          auto [first, count] = elementsOf(target, tasks.back());
          total += count * bytesOf(target.from);
          mostElements = std::max(mostElements, count);
        }
      targets.push_back(target);
    }
    firstTask.push_back(tasks.size());
  }

  /// The elements of its source that a task reads: number of the first, count.
  static std::pair<uint64_t, uint64_t> elementsOf(const Target &target,
                                                  const Task &task) {
    if (target.packing == Packing::None)
      return {uint64_t(task.begin), uint64_t(task.end - task.begin)};
    uint64_t first = uint64_t(rowOf(target, task.begin) * target.inputs);
    uint64_t last = uint64_t(rowOf(target, task.end) * target.inputs);
    return {first, last - first};
  }

  /// The first row of a panel, counted through all matrices of a source.
  static int64_t rowOf(const Target &target, int64_t panel) {
    return panel / target.panels * target.rows +
           panel % target.panels * panelRows;
  }

  void loadTasks(size_t begin, size_t end, int threads) {
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      AlignedBuffer raw, converted;
      Status status =
          AlignedBuffer::allocate(mostElements * 8, "a read buffer", raw);
      if (status.ok())
        status = AlignedBuffer::allocate(mostElements * 8, "a read buffer",
                                         converted);
      if (!status.ok())
        fail(-1, std::move(status));
#pragma omp for schedule(dynamic)
      for (auto i = int64_t(begin); i < int64_t(end); ++i) {
        if (failed)
          continue;
        status = load(tasks[size_t(i)], raw.data(), converted.data());
        if (!status.ok())
          fail(i, std::move(status));
        else if (omp_get_thread_num() == 0 && options.progress)
          options.progress(options.progressUser, done, total);
      }
    }
  }

  Status load(const Task &task, uint8_t *raw, uint8_t *converted) {
    const Target &target = targets[task.target];
    auto [first, count] = elementsOf(target, task);
    size_t size = bytesOf(target.from);
    K3_TRY(target.sources->entries[task.source].read(first * size,
                                                     {raw, count * size}));
    if (!options.allowNonfinite)
      look(task, raw, first, count);
    uint8_t *out = buffers[task.target].data() +
                   (uint64_t(task.source) * uint64_t(target.units) +
                    uint64_t(task.begin)) *
                       target.unitBytes;
    if (target.packing == Packing::None) {
      convert(target.from, raw, target.to, out, count);
    } else {
      convert(target.from, raw, target.to, converted, count);
      pack(target, task, converted, out);
    }
    done += count * size;
    return {};
  }

  static void pack(const Target &target, const Task &task, const uint8_t *in,
                   uint8_t *out) {
    int64_t rowBytes = target.inputs * int64_t(bytesOf(target.to));
    for (int64_t panel = task.begin; panel < task.end; ++panel) {
      int64_t inMatrix = panel % target.panels * panelRows;
      int64_t rows = std::min(panelRows, target.rows - inMatrix);
      packPanel(target.packing, in, rows, target.inputs, out);
      in += rows * rowBytes;
      out += target.unitBytes;
    }
  }

  void look(const Task &task, const uint8_t *raw, uint64_t first,
            uint64_t count) {
    const Target &target = targets[task.target];
    uint64_t perSource = 0;
    if (task.source > 0)
      perSource = elementsOf(target, {0, 0, 0, target.units}).second;
    uint64_t base = task.source * perSource + first;
    Nonfinite found = target.isScale
                          ? findNonfiniteScales(raw, count, base)
                          : findNonfinite(target.from, raw, count, base);
    if (!found.any())
      return;
    std::lock_guard<std::mutex> lock(mutex);
    nonfinite[task.target].add(found);
  }

  Status checkFinite() const {
    std::vector<std::string> problems;
    for (size_t i = 0; i < targets.size(); ++i) {
      const Nonfinite &found = nonfinite[i];
      if (!found.any())
        continue;
      std::string what;
      if (found.nan)
        what = std::to_string(found.nan) + " NaN";
      if (found.infinite)
        what += (what.empty() ? "" : " and ") + std::to_string(found.infinite) +
                " infinite";
      problems.push_back(what + " in " + quote(targets[i].sources->name()) +
                         ", first at [" + std::to_string(found.first) + "]");
    }
    if (problems.empty())
      return {};
    return listProblems(Code::BadInput, 141, "weights are not finite",
                        std::move(problems));
  }

  /// Keeps the failure of the earliest task, which does not depend on the
  /// threads when only one tensor is bad.
  void fail(int64_t task, Status status) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!failed || task < failedTask) {
      failure = std::move(status);
      failedTask = task;
    }
    failed = true;
  }

  const LoadOptions &options;
  std::vector<AlignedBuffer> &buffers;
  std::vector<Target> targets;
  std::vector<Task> tasks;
  std::vector<size_t> firstTask; // of a target, and the end
  std::vector<Nonfinite> nonfinite;
  uint64_t total = 0, mostElements = 0;
  std::atomic<uint64_t> done = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  int64_t failedTask = 0;
  Status failure;
};

Status loadInto(const artefact::Index &index, const std::string &path,
                const LoadOptions &options, const WeightSink *sink,
                std::vector<AlignedBuffer> &buffers) {
  if (!index.weights() || index.weights()->size() == 0)
    return {};
  if (path.empty())
    return Status::error(Code::BadUsage, 142,
                         "the model has " +
                             std::to_string(index.weights()->size()) +
                             " weights, but no checkpoint folder is given");
  Checkpoint checkpoint;
  K3_TRY(Checkpoint::open(path, checkpoint));
  std::vector<WeightSources> weights;
  K3_TRY(checkWeights(index, checkpoint, weights));
  return Loader(options, buffers).run(weights, sink).in(escaped(path));
}

} // namespace

Status k3::loadWeights(const artefact::Index &index, const std::string &path,
                       const LoadOptions &options,
                       std::vector<AlignedBuffer> *out) {
  out->clear();
  std::vector<AlignedBuffer> buffers;
  K3_TRY(loadInto(index, path, options, nullptr, buffers));
  *out = std::move(buffers);
  return {};
}

Status k3::streamWeights(const artefact::Index &index, const std::string &path,
                         const LoadOptions &options, const WeightSink &sink) {
  std::vector<AlignedBuffer> buffers;
  return loadInto(index, path, options, &sink, buffers);
}
