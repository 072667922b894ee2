// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PCRE2 that fails. This executable's own functions stand before the
// library's, which they call unless told to fail.

#include "runtime/text/Pieces.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

using namespace k3;
using namespace k3::text;

namespace {

/// What fails until the end of a test.
struct Fault {
  bool compile = false, data = false;
  int match = 0; ///< the error; 0: none
} fault;

struct Injected {
  explicit Injected(Fault wanted) { fault = wanted; }
  ~Injected() { fault = {}; }
};

template <class Function> Function *next(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" pcre2_code *pcre2_compile(PCRE2_SPTR pattern, PCRE2_SIZE length,
                                     uint32_t options, int *error,
                                     PCRE2_SIZE *offset,
                                     pcre2_compile_context *context) {
  if (fault.compile) {
    *error = PCRE2_ERROR_BADMODE;
    *offset = 7;
    return nullptr;
  }
  static auto *real = next(&pcre2_compile, "pcre2_compile_8");
  return real(pattern, length, options, error, offset, context);
}

extern "C" pcre2_match_data *
pcre2_match_data_create(uint32_t pairs, pcre2_general_context *context) {
  if (fault.data)
    return nullptr;
  static auto *real =
      next(&pcre2_match_data_create, "pcre2_match_data_create_8");
  return real(pairs, context);
}

extern "C" int pcre2_match(const pcre2_code *code, PCRE2_SPTR subject,
                           PCRE2_SIZE length, PCRE2_SIZE start,
                           uint32_t options, pcre2_match_data *data,
                           pcre2_match_context *context) {
  if (fault.match)
    return fault.match;
  static auto *real = next(&pcre2_match, "pcre2_match_8");
  return real(code, subject, length, start, options, data, context);
}

namespace {

Status split(Fault wanted) {
  PieceSplitter splitter;
  EXPECT_TRUE(PieceSplitter::create(splitter).ok());
  Injected injected(wanted);
  std::vector<std::string_view> pieces;
  return splitter.split("two words", pieces);
}

TEST(PiecesFault, NamesWhatPcre2Lacks) {
  Injected injected({.compile = true});
  PieceSplitter splitter;
  Status status = PieceSplitter::create(splitter);
  EXPECT_EQ(status.code(), Code::Environment);
  EXPECT_NE(status.render().find("error[K3-E0708]: PCRE2 refuses the pattern "
                                 "of pieces at 7"),
            std::string::npos)
      << status.render();
}

TEST(PiecesFault, TellsMemoryFromABug) {
  EXPECT_TRUE(split({}).ok());
  EXPECT_EQ(split({.data = true}).code(), Code::Resources);
  EXPECT_EQ(split({.match = PCRE2_ERROR_NOMEMORY}).code(), Code::Resources);
  Status status = split({.match = PCRE2_ERROR_NOMATCH});
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_NE(
      status.render().find("error[K3-E0708]: text cannot be split at byte 0"),
      std::string::npos)
      << status.render();
}

} // namespace
