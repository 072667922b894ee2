// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pattern of Kimi K3's tokenizer for PCRE2. Its classes "letters or marks,
// not Han" are written as everything but the other categories and Han, since
// PCRE2 10.42 has no intersections; white space is spelt out, since PCRE2's \s
// also holds U+180E.

#include "runtime/text/Pieces.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

using namespace k3;
using namespace k3::text;

#define NOT_A_WORD "\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}\\p{sc:Han}"
#define UPPER "[^\\p{Ll}" NOT_A_WORD "]"
#define LOWER "[^\\p{Lu}\\p{Lt}" NOT_A_WORD "]"
#define LEAD "[^\\r\\n\\p{L}\\p{N}]?"
#define CONTRACTION "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
#define SPACES "\\t-\\r\\x{85}\\p{Z}"

static constexpr const char pattern[] =
    "\\p{sc:Han}+"                           // Han
    "|" LEAD UPPER "*" LOWER "+" CONTRACTION // a word that ends small
    "|" LEAD UPPER "+" LOWER "*" CONTRACTION // a word that does not
    "|\\p{N}{1,3}"                           // up to three digits
    "| ?[^" SPACES "\\p{L}\\p{N}]+[\\r\\n]*" // signs and line ends
    "|[" SPACES "]*[\\r\\n]+"                // space up to a last line end
    "|[" SPACES "]+(?![^" SPACES "])"        // space, less one before a word
    "|[" SPACES "]+";

PieceSplitter::~PieceSplitter() { pcre2_code_free(code); }

Status PieceSplitter::create(PieceSplitter &out) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  PieceSplitter splitter;
  splitter.code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), sizeof(pattern) - 1,
                    PCRE2_UTF, &error, &offset, nullptr);
  if (!splitter.code)
    return Status::error(Code::Environment, 708,
                         "PCRE2 refuses the pattern of pieces at " +
                             std::to_string(offset) + " (error " +
                             std::to_string(error) + ")",
                         "PCRE2 10.40 or later with Unicode is needed");
  // Without a code generator, PCRE2 interprets.
  pcre2_jit_compile(splitter.code, PCRE2_JIT_COMPLETE);
  out = std::move(splitter);
  return {};
}

Status PieceSplitter::split(std::string_view utf8,
                            std::vector<std::string_view> &pieces) const {
  struct Match {
    pcre2_match_data *data;
    ~Match() { pcre2_match_data_free(data); }
  } match{pcre2_match_data_create(1, nullptr)};
  if (!match.data)
    return Status::error(Code::Resources, 708, "no memory to split text");
  auto *subject = reinterpret_cast<PCRE2_SPTR>(utf8.data());
  const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match.data);
  for (size_t at = 0; at < utf8.size(); at = ends[1]) {
    uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED;
    int found = pcre2_match(code, subject, utf8.size(), at, options, match.data,
                            nullptr);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT)
      found = pcre2_match(code, subject, utf8.size(), at,
                          options | PCRE2_NO_JIT, match.data, nullptr);
    if (found < 0 || ends[1] <= at)
      return Status::error(
          found == PCRE2_ERROR_NOMEMORY ? Code::Resources : Code::Internal, 708,
          "text cannot be split at byte " + std::to_string(at) +
              " (PCRE2 error " + std::to_string(found) + ")");
    pieces.push_back(utf8.substr(at, ends[1] - at));
  }
  return {};
}
