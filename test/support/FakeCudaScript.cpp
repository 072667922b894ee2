// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Script words.

#include "test/support/FakeCudaScript.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace k3::fake;

namespace {

[[noreturn]] void refuse(const std::string &word) {
  std::fprintf(stderr, "fake libcuda: unknown word '%s'\n", word.c_str());
  std::abort();
}

} // namespace

Script Script::parse(const std::string &text) {
  Script script;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    if (equals == std::string::npos)
      refuse(word);
    std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    int64_t number = std::strtoll(value.c_str(), nullptr, 10);
    std::map<std::string, int *> numbers = {
        {"version", &script.version},       {"devices", &script.devices},
        {"capability", &script.capability}, {"shared", &script.shared},
        {"pools", &script.pools},           {"clusters", &script.clusters}};
    if (auto found = numbers.find(key); found != numbers.end()) {
      *found->second = int(number);
    } else if (key == "memory") {
      script.memory = number;
    } else if (key == "fail") {
      size_t first = value.find(':'), last = value.rfind(':');
      if (first == std::string::npos || first == last)
        refuse(word);
      script.failures[value.substr(0, first)] = {
          std::atoll(value.c_str() + first + 1),
          std::atoi(value.c_str() + last + 1)};
    } else if (key == "kernel") {
      size_t colon = value.find(':');
      if (colon == std::string::npos)
        refuse(word);
      script.kernels[value.substr(0, colon)] =
          std::atoi(value.c_str() + colon + 1);
    } else {
      refuse(word);
    }
  }
  return script;
}
