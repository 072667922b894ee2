// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cut, split, merge; and the two files that say how.

#include "runtime/text/Tokenizer.h"

#include "runtime/base/Escape.h"
#include "runtime/base/File.h"
#include "runtime/text/BytePairs.h"
#include "runtime/text/TextCuts.h"

using namespace k3;
using namespace k3::text;

static constexpr const char *ranksName = "tiktoken.model";
static constexpr const char *configName = "tokenizer_config.json";

static Status readIn(const Folder &folder, const char *name, uint64_t most,
                     std::vector<uint8_t> &out) {
  InputFile file;
  K3_TRY(folder.openFile(name, file));
  return readFile(file, most, out);
}

Status Tokenizer::open(const std::string &folder, Tokenizer &out) {
  Folder opened;
  K3_TRY(Folder::open(folder, opened));
  std::vector<uint8_t> ranks, config;
  K3_TRY(readIn(opened, ranksName, mostRankFileBytes, ranks));
  K3_TRY(readIn(opened, configName, mostTokenizerConfigBytes, config));
  return parse(ranks, config, out).in(folder);
}

Status Tokenizer::parse(std::span<const uint8_t> ranks,
                        std::span<const uint8_t> config, Tokenizer &out) {
  Tokenizer tokenizer;
  K3_TRY(RankTable::parse(ranks, tokenizer.table).in(ranksName));
  K3_TRY(
      SpecialTokens::parse(config, tokenizer.table.size(), tokenizer.specials)
          .in(configName));
  K3_TRY(PieceSplitter::create(tokenizer.splitter));
  out = std::move(tokenizer);
  return {};
}

Status Tokenizer::encode(std::string_view text,
                         std::vector<int32_t> &ids) const {
  std::vector<std::string_view> pieces;
  for (const Stretch &stretch : separateUtf8(text)) {
    if (!stretch.isUtf8) {
      encodePiece(table, stretch.bytes, ids);
      continue;
    }
    for (std::string_view part : cutText(stretch.bytes)) {
      pieces.clear();
      K3_TRY(splitter.split(part, pieces));
      for (std::string_view piece : pieces)
        encodePiece(table, piece, ids);
    }
  }
  return {};
}

Status Tokenizer::findSpecial(std::string_view content, int32_t &id) const {
  id = specials.find(content);
  if (id >= 0)
    return {};
  return Status::error(Code::BadInput, 706,
                       "the tokenizer has no token " + quote(content));
}

Status Tokenizer::decode(int32_t id, std::string &bytes) const {
  if (id >= 0 && id < table.size()) {
    bytes += table.bytesOf(id);
    return {};
  }
  if (const std::string *content = specials.contentOf(id)) {
    bytes += *content;
    return {};
  }
  return Status::error(Code::BadInput, 707,
                       "token " + std::to_string(id) +
                           " is not in the tokenizer's vocabulary");
}

Status Tokenizer::decode(std::span<const int32_t> ids,
                         std::string &bytes) const {
  for (int32_t id : ids)
    K3_TRY(decode(id, bytes));
  return {};
}
