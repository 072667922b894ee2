// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of its own for one test, and checks that tests of files share.

#ifndef K3_TEST_RUNTIME_TEMPFOLDER_H
#define K3_TEST_RUNTIME_TEMPFOLDER_H

#include "runtime/base/Status.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace k3::test {

class TempFolder {
public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "k3-test-XXXXXX").string();
    path = mkdtemp(name.data()) ? name : "";
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;

  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  /// The names in it, sorted.
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string path;
};

inline void writeBytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The failure has this number, and its text contains `part`.
inline void expectError(const Status &status, int number,
                        const std::string &part) {
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.number(), number) << status.render();
  EXPECT_NE(status.render().find(part), std::string::npos)
      << status.render() << "\nwanted: " << part;
}

} // namespace k3::test

#endif // K3_TEST_RUNTIME_TEMPFOLDER_H
