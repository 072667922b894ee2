// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of the index, one after the other. Entry points are in EntryCheck.

#include "runtime/format/IndexCheck.h"

#include "runtime/base/Escape.h"
#include "runtime/format/EntryCheck.h"
#include "runtime/format/GpuCodeCheck.h"
#include "runtime/format/PackedSize.h"

#include <unordered_set>

using namespace k3;

namespace {

using artefact::Index;

std::string_view viewOf(const flatbuffers::String *text) {
  return {text->data(), text->size()};
}

/// The names of a list: `nameOf` gives an element's.
template <class List, class NameOf>
Status checkNames(IndexWork &work, const List *list, const char *kind,
                  NameOf nameOf) {
  std::unordered_set<std::string_view> seen;
  for (unsigned i = 0; list && i < list->size(); ++i) {
    const flatbuffers::String *name = nameOf(list->Get(i));
    K3_TRY(checkName(work, name, numbered(kind, i) + ": name"));
    if (!seen.insert(viewOf(name)).second)
      return refuseIndex(std::string(kind) + " " + quote(viewOf(name)) +
                         " appears twice");
  }
  return {};
}

std::vector<int64_t> shapeOf(const flatbuffers::Vector<int64_t> *list) {
  return list ? std::vector<int64_t>(list->begin(), list->end())
              : std::vector<int64_t>();
}

Status checkShape(const flatbuffers::Vector<int64_t> *shape,
                  const std::string &what) {
  if (shape && shape->size() > mostRank)
    return refuseIndex(what + " has rank " + std::to_string(shape->size()) +
                       " (at most " + std::to_string(mostRank) + ")");
  K3_TRY(checkAligned(shape, what));
  for (unsigned i = 0; shape && i < shape->size(); ++i)
    if (shape->Get(i) < 0)
      return refuseIndex(what + " has a dimension of " +
                         std::to_string(shape->Get(i)));
  return {};
}

/// The elements of the source make the elements of the weight.
Status checkSource(const artefact::Weight &weight, const std::string &what) {
  int64_t wanted = 0, have = 0;
  std::vector<int64_t> source = shapeOf(weight.source_shape());
  if (weight.stack() > 0)
    source.insert(source.begin(), weight.stack());
  if (!elementCount(shapeOf(weight.shape()), wanted) ||
      !elementCount(source, have))
    return refuseIndex(what + ": its shape overflows");
  if (weight.prefix() ? have < wanted : have != wanted)
    return refuseIndex(what + " has " + std::to_string(wanted) +
                       " elements, its source " + std::to_string(have));
  // A panel must lie within one source.
  size_t rank = weight.shape() ? weight.shape()->size() : 0;
  size_t leastRank = weight.packing() == artefact::Packing::None ? 1 : 3;
  if (weight.stack() > 0 &&
      (rank < leastRank || weight.shape()->Get(0) != weight.stack()))
    return refuseIndex(what + ": its shape does not fit a stack of " +
                       std::to_string(weight.stack()));
  bool isPattern = viewOf(weight.source()).find("{}") != std::string_view::npos;
  if (isPattern != (weight.stack() > 0) ||
      (weight.prefix() && weight.stack() > 0))
    return refuseIndex(what + ": its source does not fit a stack of " +
                       std::to_string(weight.stack()));
  return {};
}

Status checkWeight(IndexWork &work, const artefact::Weight &weight) {
  constexpr int64_t mostStack = 1 << 20;
  std::string what = "weight " + quote(viewOf(weight.name()));
  K3_TRY(checkName(work, weight.source(), what + ": source"));
  for (artefact::DType dtype : {weight.dtype(), weight.source_dtype()})
    if (dtype > artefact::DType::MAX)
      return refuseIndex(what + " has the unknown element type " +
                         std::to_string(int(dtype)));
  if (weight.packing() > artefact::Packing::MAX)
    return refuseIndex(what + " has the unknown packing " +
                       std::to_string(int(weight.packing())));
  K3_TRY(checkShape(weight.shape(), what));
  K3_TRY(checkShape(weight.source_shape(), what + ": its source"));
  if (weight.stack() < 0 || weight.stack() > mostStack)
    return refuseIndex(what + " is a stack of " +
                       std::to_string(weight.stack()) + " tensors");
  K3_TRY(work.pay(uint64_t(weight.stack())));
  K3_TRY(checkSource(weight, what));
  std::optional<uint64_t> bytes = packedBytes(
      shapeOf(weight.shape()), DType(weight.dtype()), weight.packing());
  if (!bytes)
    return refuseIndex(what + ": its packing does not fit its type");
  if (*bytes != weight.bytes())
    return refuseIndex(what + " has " + std::to_string(weight.bytes()) +
                       " bytes (wanted " + std::to_string(*bytes) + ")");
  return {};
}

Status checkState(const artefact::State &state) {
  std::string what = "state " + quote(viewOf(state.name()));
  if (state.dtype() > artefact::DType::MAX)
    return refuseIndex(what + " has the unknown element type " +
                       std::to_string(int(state.dtype())));
  auto *shape = state.shape();
  // One dimension is left for the pool.
  if (shape && shape->size() >= mostRank)
    return refuseIndex(what + " has rank " + std::to_string(shape->size()) +
                       " (at most " + std::to_string(mostRank - 1) + ")");
  K3_TRY(checkAligned(shape, what));
  for (unsigned i = 0; shape && i < shape->size(); ++i)
    if (shape->Get(i) < (i == 0 ? -1 : 0))
      return refuseIndex(what + " has a dimension of " +
                         std::to_string(shape->Get(i)));
  return {};
}

Status checkKernel(IndexWork &work, const artefact::Kernel &kernel) {
  constexpr uint64_t mostScratch = uint64_t(1) << 30;
  std::string what = "kernel " + quote(viewOf(kernel.symbol()));
  if (kernel.scratch() > mostScratch)
    return refuseIndex(what + " needs " + std::to_string(kernel.scratch()) +
                       " bytes of scratch memory (at most " +
                       std::to_string(mostScratch) + ")");
  return checkText(work, kernel.source(), what + ": source");
}

Status checkCode(IndexWork &work, const Index &index,
                 const artefact::CodeObject &code, const ArtefactView &view) {
  std::string what = "code for " + quote(viewOf(code.target()));
  K3_TRY(checkName(work, code.section(), what + ": section"));
  std::span<const uint8_t> section = view.section(viewOf(code.section()));
  if (section.empty())
    return refuseIndex(what + " is in section " +
                       quote(viewOf(code.section())) +
                       ", which does not exist or is empty");
  if (code.features())
    for (const flatbuffers::String *feature : *code.features())
      K3_TRY(checkName(work, feature, what + ": a feature"));
  return checkGpuCode(work, index, code, section, what);
}

Status checkLists(IndexWork &work, const Index &index) {
  auto name = [](auto *item) { return item->name(); };
  K3_TRY(
      checkNames(work, index.symbols(), "symbol", [](auto *s) { return s; }));
  K3_TRY(checkNames(work, index.weights(), "weight", name));
  K3_TRY(checkNames(work, index.states(), "state", name));
  K3_TRY(checkNames(work, index.entries(), "entry", name));
  K3_TRY(checkNames(work, index.kernels(), "kernel",
                    [](auto *kernel) { return kernel->symbol(); }));
  K3_TRY(checkNames(work, index.code(), "code object",
                    [](auto *code) { return code->target(); }));
  return checkNames(work, index.metadata(), "metadata",
                    [](auto *pair) { return pair->key(); });
}

Status checkTexts(IndexWork &work, const Index &index) {
  K3_TRY(checkName(work, index.producer(), "producer"));
  K3_TRY(checkName(work, index.source_sha256(), "source digest"));
  K3_TRY(checkText(work, index.precision(), "precision"));
  if (index.metadata())
    for (const artefact::Pair *pair : *index.metadata())
      K3_TRY(checkText(work, pair->value(),
                       "metadata " + quote(viewOf(pair->key()))));
  return {};
}

Status checkMeaning(const Index &index, const ArtefactView &view) {
  IndexWork work;
  K3_TRY(checkLists(work, index));
  K3_TRY(checkTexts(work, index));
  auto symbols = int64_t(index.symbols() ? index.symbols()->size() : 0);
  for (int64_t symbol : {index.slots_symbol(), index.capacity_symbol()})
    if (symbol < -1 || symbol >= symbols)
      return refuseIndex("symbol " + std::to_string(symbol) + " of " +
                         std::to_string(symbols) + " does not exist");
  if (index.weights())
    for (const artefact::Weight *weight : *index.weights())
      K3_TRY(checkWeight(work, *weight));
  if (index.states())
    for (const artefact::State *state : *index.states())
      K3_TRY(checkState(*state));
  if (index.kernels())
    for (const artefact::Kernel *kernel : *index.kernels())
      K3_TRY(checkKernel(work, *kernel));
  if (index.entries())
    for (const artefact::Entry *entry : *index.entries())
      K3_TRY(checkEntry(work, index, *entry)
                 .in("entry " + quote(viewOf(entry->name()))));
  if (index.code())
    for (const artefact::CodeObject *code : *index.code())
      K3_TRY(checkCode(work, index, *code, view));
  return {};
}

} // namespace

Status k3::checkIndex(ArtefactView &view) {
  constexpr unsigned depth = 16, mostTables = 4'000'000;
  std::span<const uint8_t> bytes = view.section("index");
  if (bytes.empty())
    return Status::error(Code::BadInput, 311, "there is no section 'index'");
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return Status::error(Code::BadInput, 311,
                         "section 'index' has " + std::to_string(bytes.size()) +
                             " bytes (wanted less than 2^31)");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), depth, mostTables);
  if (!artefact::VerifyIndexBuffer(verifier))
    return Status::error(Code::BadInput, 311,
                         "section 'index' is not a well-formed k3 index");
  view.index = artefact::GetIndex(bytes.data());
  return checkMeaning(*view.index, view);
}
