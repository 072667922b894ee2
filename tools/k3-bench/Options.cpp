// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags are `--name=value`; lists are separated by commas.

#include "tools/k3-bench/Options.h"

#include <charconv>

using namespace k3;
using namespace k3::bench;

const char *const k3::bench::usageText =
    "usage: k3-bench ARTEFACT [flags] [--benchmark_* flags]\n"
    "  --weights=DIR     checkpoint folder\n"
    "  --entry=A,B       entry points to time (default: all)\n"
    "  --tokens=N,...    new tokens of each sequence (default: 1)\n"
    "  --batch=N,...     sequences of a call (default: 1)\n"
    "  --context=N,...   tokens that each slot holds before (default: 0)\n"
    "  --dim=NAME=N      size of another dynamic dimension, repeatable\n"
    "  --threads=N       0: one per CPU (default)\n"
    "  --device=NAME     cpu (default), or cuda:0 and so on\n"
    "  --target=NAME     code object to use (default: the best)\n"
    "  --commands        also time each command of an entry\n"
    "  --repeat=N        runs that command times are taken from (default: 20)\n"
    "JSON: --benchmark_format=json or --benchmark_out=FILE\n\n";

namespace {

Status refuse(const std::string &text) {
  return Status::error(Code::BadUsage, 435, text, "k3-bench --help");
}

Status parseNumber(const std::string &flag, const std::string &text,
                   int64_t &out) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0 ||
      out > INT32_MAX)
    return refuse(flag + ": '" + text + "' is not a size");
  return {};
}

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Status parseNumbers(const std::string &flag, const std::string &text,
                    std::vector<int64_t> &out) {
  out.clear();
  for (const std::string &part : split(text)) {
    out.emplace_back();
    K3_TRY(parseNumber(flag, part, out.back()));
  }
  return {};
}

Status parseDim(const std::string &text, Options &out) {
  size_t equals = text.find('=');
  if (equals == std::string::npos)
    return refuse("--dim: '" + text + "' is not NAME=SIZE");
  return parseNumber("--dim", text.substr(equals + 1),
                     out.dims[text.substr(0, equals)]);
}

Status parseFlag(const std::string &flag, const std::string &value,
                 Options &out) {
  int64_t number = 0;
  if (flag == "--weights")
    out.weights = value;
  else if (flag == "--device")
    out.device = value;
  else if (flag == "--target")
    out.target = value;
  else if (flag == "--entry")
    out.entries = split(value);
  else if (flag == "--tokens")
    return parseNumbers(flag, value, out.tokens);
  else if (flag == "--batch")
    return parseNumbers(flag, value, out.batch);
  else if (flag == "--context")
    return parseNumbers(flag, value, out.context);
  else if (flag == "--dim")
    return parseDim(value, out);
  else if (flag == "--repeat")
    return parseNumber(flag, value, out.repeat);
  else if (flag == "--threads") {
    K3_TRY(parseNumber(flag, value, number));
    out.threads = int32_t(number);
  } else
    return refuse("unknown flag '" + flag + "'");
  return {};
}

} // namespace

Status k3::bench::parseOptions(int argc, char **argv, Options &out) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    if (argument == "--commands")
      out.commands = true;
    else if (argument == "--help")
      out.help = true;
    else if (argument.rfind("--", 0) == 0 && equals != std::string::npos)
      K3_TRY(parseFlag(argument.substr(0, equals), argument.substr(equals + 1),
                       out));
    else if (argument.rfind("--", 0) == 0)
      return refuse("unknown flag '" + argument + "', or its value is missing");
    else if (out.artefact.empty())
      out.artefact = argument;
    else
      return refuse("more than one artefact: '" + argument + "'");
  }
  if (out.artefact.empty() && !out.help)
    return refuse("no artefact given");
  return {};
}
