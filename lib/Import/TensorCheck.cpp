// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Missing, mis-shaped, padded and unexpected tensors of a checkpoint.

#include "k3/Import/TensorCheck.h"

#include "ImportErrors.h"
#include "NameMap.h"
#include "NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace k3;
using llvm::formatv;
using llvm::StringRef;

static std::string showShape(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(
             llvm::map_range(shape,
                             [](int64_t size) { return std::to_string(size); }),
             ", ") +
         "]";
}

/// Dimensions of 1 carry no meaning: [D, 1, W] is [D, W], [1, D] is [D].
static llvm::SmallVector<int64_t, 3> squeeze(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 3> kept;
  llvm::copy_if(shape, std::back_inserter(kept),
                [](int64_t size) { return size != 1; });
  return kept;
}

namespace {
class Checker {
public:
  Checker(const ModelConfig &config, const TensorTable &table)
      : config(config), table(table), names(NameMap::detect(table)) {}

  void check(const PlannedWeight &weight);
  void finish();
  TensorReport report;

private:
  bool checkOne(const std::string &name, DeclaredWeight &weight, bool first);
  bool checkElement(const std::string &name, StringRef dtype,
                    const DeclaredWeight &weight, bool first);
  bool checkShape(const std::string &name, llvm::ArrayRef<int64_t> shape,
                  DeclaredWeight &weight, bool first);
  bool isExtraLayer(StringRef name) const;
  void suggestNames();

  const ModelConfig &config;
  const TensorTable &table;
  NameMap names;
  llvm::StringSet<> used;
};
} // namespace

bool Checker::checkElement(const std::string &name, StringRef dtype,
                           const DeclaredWeight &weight, bool first) {
  bool bytes = weight.plan.rule == ElementRule::Bytes;
  bool fits = bytes ? dtype == "U8"
                    : dtype == "BF16" || dtype == "F32" || dtype == "F16";
  if (fits && (first || dtype == weight.storedType))
    return true;
  std::string wanted = bytes  ? "U8"
                       : fits ? weight.storedType.str() + " as the others of "
                                                          "the stack"
                              : "BF16, F32 or F16";
  report.misshaped.push_back(
      {name,
       formatv("dtype {0} is not supported (wanted {1})", dtype, wanted)});
  return false;
}

bool Checker::checkShape(const std::string &name, llvm::ArrayRef<int64_t> shape,
                         DeclaredWeight &weight, bool first) {
  const PlannedWeight &plan = weight.plan;
  auto kept = squeeze(shape);
  bool exact = kept == squeeze(plan.stored) || kept == squeeze(plan.shape);
  bool longer = plan.prefix && kept.size() == 1 && kept[0] > plan.shape[0];
  if (!first ? llvm::ArrayRef(weight.storedShape) == shape : exact || longer) {
    weight.padded = longer;
    if (longer)
      report.padded.push_back({name, formatv("{0}, the first {1} are used",
                                             showShape(shape), plan.shape[0])});
    return true;
  }
  report.misshaped.push_back(
      {name, formatv("shape {0} (wanted {1})", showShape(shape),
                     showShape(plan.stored))});
  return false;
}

/// One tensor of a weight; the first of a stack settles type and shape.
bool Checker::checkOne(const std::string &name, DeclaredWeight &weight,
                       bool first) {
  const TensorInfo *info = table.find(name);
  if (!info) {
    report.missing.push_back({name, "wanted " + showShape(weight.plan.stored)});
    return false;
  }
  used.insert(name);
  bool fits = checkElement(name, info->dtype, weight, first);
  fits &= checkShape(name, info->shape, weight, first);
  if (fits && first) {
    weight.storedType = info->dtype;
    weight.storedShape = info->shape;
  }
  return fits;
}

void Checker::check(const PlannedWeight &plan) {
  DeclaredWeight weight;
  weight.plan = plan;
  bool complete = true;
  for (int64_t index = 0, end = std::max<int64_t>(plan.stack, 1); index < end;
       ++index) {
    std::string name = plan.stack ? withIndex(plan.source, index) : plan.source;
    complete &= checkOne(name, weight, weight.storedType.empty());
  }
  if (complete)
    report.weights.push_back(std::move(weight));
}

bool Checker::isExtraLayer(StringRef name) const {
  StringRef rest = names.strip(name);
  int64_t layer = 0;
  return rest.consume_front("layers.") && !rest.consumeInteger(10, layer) &&
         layer >= config.layers && layer < config.layers + config.extraLayers;
}

/// Missing and unexpected names explain each other.
void Checker::suggestNames() {
  std::vector<StringRef> unexpected;
  for (const TensorProblem &problem : report.unexpected)
    unexpected.push_back(problem.name);
  NearestName nearest(std::move(unexpected));
  for (TensorProblem &problem : report.missing)
    if (StringRef name = nearest.find(problem.name); !name.empty())
      problem.text += "; nearest is '" + name.str() + "'";
}

void Checker::finish() {
  for (const auto &entry : table.all()) {
    StringRef name = entry.getKey();
    if (used.contains(name))
      continue;
    if (NameMap::isVision(name))
      ++report.vision;
    else if (isExtraLayer(name))
      ++report.extra;
    else
      report.unexpected.push_back(
          {name.str(),
           entry.second.dtype.str() + " " + showShape(entry.second.shape)});
  }
  for (auto *list :
       {&report.missing, &report.misshaped, &report.padded, &report.unexpected})
    llvm::sort(*list, [](const TensorProblem &a, const TensorProblem &b) {
      return a.name < b.name;
    });
  suggestNames();
}

TensorReport k3::checkTensors(const ModelConfig &config,
                              const TensorTable &table,
                              const std::vector<PlannedWeight> &plan) {
  Checker checker(config, table);
  for (const PlannedWeight &weight : plan)
    checker.check(weight);
  checker.finish();
  return std::move(checker.report);
}
