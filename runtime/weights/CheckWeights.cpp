// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All problems at once: a person fixes a checkpoint in one go.

#include "runtime/weights/CheckWeights.h"

#include "runtime/base/DType.h"
#include "runtime/base/Escape.h"
#include "runtime/weights/Convert.h"
#include "runtime/weights/NearestName.h"

#include <algorithm>

using namespace k3;

namespace {

constexpr size_t mostListed = 20;

std::string_view viewOf(const flatbuffers::String *text) {
  return {text->data(), text->size()};
}

std::string sourceName(const artefact::Weight &weight, int64_t number) {
  std::string name(viewOf(weight.source()));
  if (weight.stack() > 0)
    name.replace(name.find("{}"), 2, std::to_string(number));
  return name;
}

class WeightsCheck {
public:
  explicit WeightsCheck(const Checkpoint &checkpoint)
      : checkpoint(checkpoint) {}

  void add(const artefact::Weight &weight, WeightSources &out) {
    out.weight = &weight;
    DType from = DType(weight.source_dtype()), to = DType(weight.dtype());
    if (!canConvert(from, to))
      problems.push_back("weight " + quote(out.name()) + ": " +
                         std::string(nameOf(from)) + " is not converted to " +
                         std::string(nameOf(to)));
    for (int64_t i = 0; i < std::max<int64_t>(weight.stack(), 1); ++i) {
      std::string name = sourceName(weight, i);
      Checkpoint::Entry entry = checkpoint.find(name);
      if (!entry)
        missing.push_back(std::move(name));
      else
        compare(weight, entry);
      out.entries.push_back(entry);
    }
  }

  Status finish() {
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    addMissing();
    if (problems.empty())
      return {};
    std::sort(problems.begin(), problems.end());
    problems.erase(std::unique(problems.begin(), problems.end()),
                   problems.end());
    return listProblems(Code::BadInput, 140,
                        std::to_string(problems.size()) +
                            (problems.size() == 1 ? " tensor does not fit"
                                                  : " tensors do not fit"),
                        std::move(problems));
  }

private:
  void compare(const artefact::Weight &weight, const Checkpoint::Entry &entry) {
    const SafetensorsTensor &tensor = *entry.tensor;
    std::string_view dtype = nameOf(DType(weight.source_dtype()));
    std::vector<int64_t> shape;
    if (weight.source_shape())
      shape.assign(weight.source_shape()->begin(),
                   weight.source_shape()->end());
    if (tensor.dtype != dtype)
      problems.push_back("tensor " + quote(tensor.name) + " is " +
                         std::string(tensor.dtype) + " (wanted " +
                         std::string(dtype) + ")");
    if (tensor.shape != shape)
      problems.push_back("tensor " + quote(tensor.name) + " has shape " +
                         shapeText(tensor.shape) + " (wanted " +
                         shapeText(shape) + ")");
  }

  void addMissing() {
    if (missing.empty())
      return;
    std::vector<std::string_view> names;
    for (const Checkpoint::Entry &entry : checkpoint.tensors())
      names.push_back(entry.tensor->name);
    NearestName nearest(std::move(names));
    for (size_t i = 0; i < missing.size(); ++i) {
      // Only those that can be among the listed ones.
      std::string_view near =
          i < mostListed ? nearest.find(missing[i]) : std::string_view();
      problems.push_back(
          "tensor " + quote(missing[i]) + " is missing" +
          (near.empty() ? "" : " (nearest: " + quote(near) + ")"));
    }
  }

  const Checkpoint &checkpoint;
  std::vector<std::string> missing, problems;
};

} // namespace

Status k3::listProblems(Code code, int number, const std::string &summary,
                        std::vector<std::string> problems) {
  std::string text = summary + ": " + problems.front();
  size_t count = problems.size();
  if (count == 1)
    problems.clear();
  if (count > mostListed) {
    problems.resize(mostListed);
    problems.push_back("and " + std::to_string(count - mostListed) + " more");
  }
  return Status::error(code, number, text).with(std::move(problems));
}

Status k3::checkWeights(const artefact::Index &index,
                        const Checkpoint &checkpoint,
                        std::vector<WeightSources> &out) {
  WeightsCheck check(checkpoint);
  out.clear();
  if (index.weights())
    for (const artefact::Weight *weight : *index.weights())
      check.add(*weight, out.emplace_back());
  return check.finish().in(escaped(checkpoint.path()));
}
