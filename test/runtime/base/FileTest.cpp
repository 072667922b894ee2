// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are not what they seem, and folders that must not be left.

#include "runtime/base/File.h"
#include "test/runtime/TempFolder.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace k3;
using namespace k3::test;
namespace fs = std::filesystem;

namespace {

struct Files : testing::Test {
  void SetUp() override {
    ASSERT_FALSE(root.path.empty());
    fs::create_directories(root / "model/sub");
    writeBytes(root / "secret", "secret");
    writeBytes(root / "model/a", "0123456789");
    writeBytes(root / "model/sub/b", "b");
    ASSERT_TRUE(Folder::open(root / "model", folder).ok());
  }
  Status open(const std::string &name) {
    InputFile file;
    return folder.openFile(name, file);
  }
  TempFolder root;
  Folder folder;
};

} // namespace

TEST_F(Files, ReadsWholeAndInPieces) {
  std::vector<uint8_t> bytes;
  ASSERT_TRUE(readFile(root / "model/a", 10, bytes).ok());
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "0123456789");
  InputFile file;
  ASSERT_TRUE(folder.openFile("a", file).ok());
  bytes.resize(3);
  ASSERT_TRUE(file.read(4, bytes).ok());
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "456");
  EXPECT_TRUE(file.read(10, {}).ok());
}

TEST_F(Files, LimitIsStated) {
  std::vector<uint8_t> bytes;
  expectError(readFile(root / "model/a", 9, bytes), 606,
              "has 10 bytes (wanted at most 9)");
}

TEST_F(Files, CutWhileReadIsAnErrorAndNoSignal) {
  InputFile file;
  ASSERT_TRUE(folder.openFile("a", file).ok());
  ASSERT_EQ(truncate((root / "model/a").c_str(), 5), 0);
  std::vector<uint8_t> bytes;
  Status status = readFile(file, 100, bytes);
  expectError(status, 604, "file changed while being read (ends at byte 5)");
  EXPECT_EQ(status.code(), Code::Io);
}

TEST_F(Files, MissingNamesTheReason) {
  InputFile file;
  Status status = InputFile::open(root / "none", file);
  expectError(status, 601, "none: cannot open: No such file or directory");
  EXPECT_EQ(status.code(), Code::Io);
  expectError(InputFile::open("", file), 605, "''");
  expectError(InputFile::open(std::string("a\0b", 3), file), 605, "'a\\x00b'");
  expectError(InputFile::open(std::string(5000, 'x'), file), 601, "too long");
  Folder other;
  expectError(Folder::open(root / "secret", other), 601, "Not a directory");
}

// A pipe without a writer must not block.
TEST_F(Files, OnlyRegularFilesAreRead) {
  ASSERT_EQ(mkfifo((root / "model/fifo").c_str(), 0600), 0);
  InputFile file;
  expectError(InputFile::open(root / "model/fifo", file), 603,
              "is a pipe (wanted a regular file)");
  expectError(open("fifo"), 603, "is a pipe");
  expectError(InputFile::open(root.path, file), 603, "is a folder");
  expectError(open("sub"), 603, "is a folder");
  expectError(InputFile::open("/dev/null", file), 603, "is a device");
}

TEST_F(Files, NothingOutsideTheFolderIsOpened) {
  for (const char *name :
       {"../secret", "sub/../../secret", "sub/../a", "/etc/passwd", "", ".",
        "..", "./a", "sub//b", "sub/", "a/"})
    EXPECT_FALSE(open(name).ok()) << name;
  expectError(open("../secret"), 602, "shard path leaves the model folder");
  expectError(open("/etc/passwd"), 602, "shard path leaves the model folder");
  expectError(open(std::string("a\0b", 3)), 602, "leaves the model folder");
  EXPECT_TRUE(open("sub/b").ok());
}

TEST_F(Files, LinksAreNotFollowedBeneathAFolder) {
  fs::create_symlink(root / "secret", root / "model/link");
  fs::create_symlink("a", root / "model/inside");
  fs::create_directory_symlink(root.path, root / "model/up");
  expectError(open("link"), 602, "is reached through a link");
  expectError(open("inside"), 602, "is reached through a link");
  expectError(open("up/secret"), 602, "is reached through a link");
}

TEST_F(Files, HardLinksAreFiles) {
  fs::create_hard_link(root / "model/a", root / "model/hard");
  InputFile one, two;
  ASSERT_TRUE(folder.openFile("a", one).ok());
  ASSERT_TRUE(folder.openFile("hard", two).ok());
  EXPECT_TRUE(one.isSameFile(two));
}

TEST_F(Files, ListsAndKnowsNames) {
  std::vector<std::string> names;
  ASSERT_TRUE(folder.list(100, names).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "sub"}));
  EXPECT_TRUE(folder.has("a"));
  EXPECT_FALSE(folder.has("b"));
  EXPECT_FALSE(folder.has("../secret"));
}

TEST_F(Files, NamesAreBytes) {
  for (const std::string &name :
       {std::string("\xff\xfe"), std::string("with space"),
        std::string("line\nbreak"), std::string("-o"), std::string(255, 'n')}) {
    writeBytes(root / ("model/" + name), "x");
    EXPECT_TRUE(open(name).ok());
  }
  InputFile file;
  std::string text = InputFile::open(root / "\x9f\n", file).render();
  EXPECT_NE(text.find("\\x9f\\x0a: cannot open"), std::string::npos) << text;
}

TEST_F(Files, DescriptorsAreClosed) {
  int before = dup(0);
  close(before);
  for (int i = 0; i < 100; ++i) {
    InputFile file;
    ASSERT_TRUE(folder.openFile("sub/b", file).ok());
    EXPECT_FALSE(open("sub").ok());
    EXPECT_FALSE(open("../secret").ok());
    std::vector<std::string> names;
    ASSERT_TRUE(folder.list(10, names).ok());
  }
  int after = dup(0);
  close(after);
  EXPECT_EQ(after, before);
}
