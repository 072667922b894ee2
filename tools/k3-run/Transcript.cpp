// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state machine over the markers of the chat form.

#include "Transcript.h"

namespace k3::run {

Transcript::Transcript(const text::Tokenizer &tokenizer)
    : tokenizer(tokenizer), openId(tokenizer.specialTokens().find("<|open|>")),
      closeId(tokenizer.specialTokens().find("<|close|>")),
      sepId(tokenizer.specialTokens().find("<|sep|>")) {}

Status Transcript::add(int32_t token, std::string &shown) {
  if (tokenizer.isSpecial(token)) {
    if (token == openId && hasText)
      shown += decoder.finish() + "\n\n";
    hasText &= token != openId;
    if (token == openId || token == closeId)
      insideTag = true;
    else if (token == sepId)
      insideTag = false;
    return {};
  }
  std::string bytes;
  K3_TRY(tokenizer.decode(token, bytes));
  if (insideTag)
    return {};
  hasText = true;
  shown += decoder.push(bytes);
  return {};
}

} // namespace k3::run
