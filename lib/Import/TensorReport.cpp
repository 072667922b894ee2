// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a checkpoint check as text and as a status.

#include "k3/Import/TensorCheck.h"

#include "ImportErrors.h"

#include "runtime/base/Escape.h"

#include "llvm/ADT/StringExtras.h"

using namespace k3;
using llvm::StringRef;

namespace {
struct Kind {
  const char *label;
  std::vector<TensorProblem> TensorReport::*list;
};
} // namespace

static constexpr Kind kinds[] = {
    {"missing", &TensorReport::missing},
    {"mis-shaped", &TensorReport::misshaped},
    {"padded", &TensorReport::padded},
    {"unexpected", &TensorReport::unexpected},
};

void k3::printReport(const TensorReport &report, size_t limit,
                     llvm::raw_ostream &out) {
  for (const Kind &kind : kinds) {
    const std::vector<TensorProblem> &list = report.*kind.list;
    for (const TensorProblem &problem : llvm::ArrayRef(list).take_front(limit))
      out << kind.label << " '" << escaped(problem.name)
          << "': " << escaped(problem.text) << "\n";
    if (list.size() > limit)
      out << kind.label << ": " << list.size() - limit << " more\n";
  }
}

static llvm::SmallVector<std::string> countKinds(const TensorReport &report) {
  llvm::SmallVector<std::string> parts;
  for (const Kind &kind : kinds)
    if (size_t count = (report.*kind.list).size())
      parts.push_back(std::to_string(count) + " " + kind.label);
  return parts;
}

std::string k3::summarize(const TensorReport &report) {
  llvm::SmallVector<std::string> parts = countKinds(report);
  if (report.vision)
    parts.push_back(std::to_string(report.vision) + " vision (ignored)");
  if (report.extra)
    parts.push_back(std::to_string(report.extra) +
                    " of further prediction layers (ignored)");
  return parts.empty() ? "every tensor fits" : llvm::join(parts, ", ");
}

Status k3::reportStatus(const TensorReport &report, StringRef where,
                        bool strict) {
  std::string prefix = where.str() + ": ";
  if (!report.fits())
    return importError(ImportMismatch,
                       prefix + "tensors do not fit config.json: " +
                           llvm::join(countKinds(report), ", "),
                       "k3-import --check lists all of them");
  if (strict && !report.unexpected.empty())
    return importError(ImportUnexpected,
                       prefix + std::to_string(report.unexpected.size()) +
                           " unexpected tensors (wanted none)");
  return {};
}
