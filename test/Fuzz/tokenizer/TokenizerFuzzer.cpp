// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a tokenizer file. The first byte chooses which: the ranks, or
// the config beside ranks of all single bytes. Ranks that are accepted must
// encode and decode text, here the file itself.

#include "runtime/text/BytePairs.h"
#include "runtime/text/SpecialTokens.h"
#include "runtime/text/TextCuts.h"

#include <cstdlib>

using namespace k3;
using namespace k3::text;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void checkFailure(const Status &status) {
  require(status.code() == Code::BadInput && !status.text().empty());
  require(status.number() >= 701 && status.number() <= 705);
}

static void tryRanks(std::span<const uint8_t> file) {
  RankTable table;
  Status status = RankTable::parse(file, table);
  if (!status.ok())
    return checkFailure(status);
  std::string_view text(reinterpret_cast<const char *>(file.data()),
                        file.size());
  std::string back;
  std::vector<int32_t> ids;
  for (const Stretch &stretch : separateUtf8(text)) {
    if (!stretch.isUtf8)
      encodePiece(table, stretch.bytes, ids);
    else
      for (std::string_view part : cutText(stretch.bytes))
        encodePiece(table, part, ids);
  }
  for (int32_t id : ids) {
    require(id >= 0 && id < table.size());
    require(table.find(table.bytesOf(id)) == id);
    back += table.bytesOf(id);
  }
  require(back == text);
}

static void tryConfig(std::span<const uint8_t> file) {
  SpecialTokens tokens;
  Status status = SpecialTokens::parse(file, 256, tokens);
  if (!status.ok())
    return checkFailure(status);
  for (const auto &[id, content] : tokens.all())
    require(id >= 256 && !content.empty() && tokens.find(content) == id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::span<const uint8_t> file(data + 1, size - 1);
  if (data[0] == 'c')
    tryConfig(file);
  else
    tryRanks(file);
  return 0;
}
