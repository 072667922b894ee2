// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to token ids and back.

#ifndef K3_RUNTIME_TEXT_TOKENIZER_H
#define K3_RUNTIME_TEXT_TOKENIZER_H

#include "runtime/text/Pieces.h"
#include "runtime/text/RankTable.h"
#include "runtime/text/SpecialTokens.h"

namespace k3::text {

/// Immutable; may be used on several threads.
class Tokenizer {
public:
  /// Reads tiktoken.model and tokenizer_config.json of a model folder.
  static Status open(const std::string &folder, Tokenizer &out);
  /// The same from the files' bytes.
  static Status parse(std::span<const uint8_t> ranks,
                      std::span<const uint8_t> config, Tokenizer &out);

  /// Appends the ids of ordinary text. Nothing in it becomes a special token.
  /// Bytes that are not UTF-8 are pieces of their own.
  Status encode(std::string_view text, std::vector<int32_t> &ids) const;
  /// The id of a special token, "<|open|>".
  Status findSpecial(std::string_view content, int32_t &id) const;
  bool isSpecial(int32_t id) const { return specials.contentOf(id); }

  /// Appends the bytes of a token: a special token's are its text.
  Status decode(int32_t id, std::string &bytes) const;
  Status decode(std::span<const int32_t> ids, std::string &bytes) const;

  const RankTable &ranks() const { return table; }
  const SpecialTokens &specialTokens() const { return specials; }

private:
  RankTable table;
  SpecialTokens specials;
  PieceSplitter splitter;
};

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_TOKENIZER_H
