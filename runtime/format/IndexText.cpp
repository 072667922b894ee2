// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every string is looked at once for each of its uses.

#include "runtime/format/IndexText.h"

#include "runtime/format/Utf8.h"

using namespace k3;

Status k3::refuseIndex(const std::string &what) {
  return Status::error(Code::BadInput, 312, what);
}

Status IndexWork::pay(uint64_t steps) {
  if (steps > left)
    return refuseIndex("the index takes too much work to check");
  left -= steps;
  return {};
}

Status k3::checkText(IndexWork &work, const flatbuffers::String *text,
                     const std::string &what) {
  constexpr size_t longest = 1 << 20;
  if (!text)
    return {};
  std::string_view view(text->data(), text->size());
  K3_TRY(work.pay(view.size() + 1));
  if (view.size() > longest)
    return refuseIndex(what + " has " + std::to_string(view.size()) +
                       " bytes (wanted at most " + std::to_string(longest) +
                       ")");
  if (!isUtf8(view))
    return refuseIndex(what + " is not UTF-8");
  if (view.find('\0') != std::string_view::npos)
    return refuseIndex(what + " holds a zero byte");
  return {};
}

Status k3::checkName(IndexWork &work, const flatbuffers::String *text,
                     const std::string &what) {
  if (!text || text->size() == 0)
    return refuseIndex(what + " is empty");
  return checkText(work, text, what);
}

std::string k3::numbered(const char *kind, size_t number) {
  return std::string(kind) + " " + std::to_string(number);
}
