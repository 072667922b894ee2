// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest as cases, and how results are compared.

#include "Cases.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::golden;

static k3::Status bad(std::string what) {
  return k3::Status::error(Code::BadInput, 806, std::move(what));
}

static k3::Status addCase(ManifestCase &entry, CaseList &list) {
  size_t before = list.cases.size();
  bool known = addRecurrence(entry, list) || addRowOperation(entry, list) ||
               addShortConv(entry, list) || addLatentAttention(entry, list) ||
               addExperts(entry, list) || addMamba2Mixer(entry, list);
  std::string where = entry.model() + "/" + entry.name() + ": ";
  if (!known)
    return bad(where + "no operation is known for this model");
  if (!entry.problem().empty())
    return bad(where + entry.problem());
  for (size_t i = before; i < list.cases.size(); ++i)
    if (failed(verify(*list.cases[i].module)))
      return bad(where + "the module does not verify");
  return {};
}

k3::Status k3::golden::loadOpCases(MLIRContext &context,
                                   const std::string &folder, bool bf16,
                                   std::vector<OpCase> &out) {
  context.loadDialect<K3Dialect, func::FuncDialect>();
  auto buffer = llvm::MemoryBuffer::getFile(folder + "/manifest.json");
  if (!buffer)
    return bad(folder + "/manifest.json: " + buffer.getError().message());
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return bad(folder + "/manifest.json: " + llvm::toString(json.takeError()));
  const llvm::json::Array *entries =
      json->getAsObject() ? json->getAsObject()->getArray("cases") : nullptr;
  if (!entries)
    return bad(folder + "/manifest.json: no 'cases'");
  ManifestCase::Files files;
  CaseList list{context, bf16, out};
  for (const llvm::json::Value &value : *entries) {
    const llvm::json::Object *object = value.getAsObject();
    if (!object || object->getString("model") == "tokenizer")
      continue;
    ManifestCase entry(*object, folder, files);
    K3_TRY(addCase(entry, list));
  }
  return {};
}

double k3::golden::relativeError(const Tensor &actual,
                                 const Expected &expected) {
  const Tensor &wanted = *expected.value;
  int64_t first = expected.row < 0 ? 0 : expected.row * actual.rowSize();
  int64_t count = wanted.count();
  if (first + count > actual.count() ||
      (expected.row < 0 && count != actual.count()))
    return INFINITY;
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < count; ++i) {
    double delta = actual.reals[first + i] - wanted.reals[i];
    if (std::isnan(delta))
      return INFINITY;
    difference += delta * delta;
    norm += wanted.reals[i] * wanted.reals[i];
  }
  if (norm == 0)
    return difference == 0 ? 0 : INFINITY;
  return std::sqrt(difference / norm);
}
