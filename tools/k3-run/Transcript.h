// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens as people read them.

#ifndef K3_TOOLS_K3_RUN_TRANSCRIPT_H
#define K3_TOOLS_K3_RUN_TRANSCRIPT_H

#include "runtime/text/StreamDecoder.h"
#include "runtime/text/Tokenizer.h"

namespace k3::run {

/// Special tokens are not shown, nor are the tags of the chat form, from
/// <|open|> or <|close|> to <|sep|>; an empty line parts its elements.
class Transcript {
public:
  explicit Transcript(const text::Tokenizer &tokenizer);

  /// Adds to `shown` what can be shown after this token.
  Status add(int32_t token, std::string &shown);
  std::string finish() { return decoder.finish(); }

private:
  const text::Tokenizer &tokenizer;
  text::StreamDecoder decoder;
  int32_t openId, closeId, sepId;
  bool insideTag = false, hasText = false;
};

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_TRANSCRIPT_H
