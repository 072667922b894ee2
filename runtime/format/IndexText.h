// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of an index, checked within a bounded amount of work.

#ifndef K3_RUNTIME_FORMAT_INDEXTEXT_H
#define K3_RUNTIME_FORMAT_INDEXTEXT_H

#include "runtime/base/Status.h"
#include "runtime/format/Artefact_generated.h"

#include <string>

namespace k3 {

/// A refusal of the index.
Status refuseIndex(const std::string &what);

/// Tables of a FlatBuffer may share their parts, so a small file can ask for
/// much work. Everything that is visited is paid for from one budget.
class IndexWork {
public:
  Status pay(uint64_t steps);

private:
  uint64_t left = uint64_t(1) << 26;
};

/// UTF-8 without a zero byte, and not empty if it is a name. A text that is
/// absent is refused as a name only. `what` says whose it is: "kernel 4: name".
Status checkName(IndexWork &work, const flatbuffers::String *text,
                 const std::string &what);
Status checkText(IndexWork &work, const flatbuffers::String *text,
                 const std::string &what);

/// Whether the elements of a list may be read: the verifier of FlatBuffers
/// knows their place and number, but not that 8-byte numbers in them are
/// aligned. To be asked before a list of such elements is used.
template <class List>
Status checkAligned(const List *list, const std::string &what) {
  if (!list || list->size() == 0 ||
      reinterpret_cast<uintptr_t>(list->Data()) % alignof(int64_t) == 0)
    return {};
  return refuseIndex(what + " holds numbers that are not aligned");
}

/// "kernel 4", for messages.
std::string numbered(const char *kind, size_t number);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_INDEXTEXT_H
