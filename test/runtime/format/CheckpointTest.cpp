// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model folders, right and wrong (B10 to B12 of the fault catalogue).

#include "runtime/format/Checkpoint.h"
#include "runtime/format/SafetensorsWriter.h"
#include "test/runtime/TempFolder.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace k3;
using namespace k3::test;
namespace fs = std::filesystem;

namespace {

struct CheckpointFolder : testing::Test {
  /// A file with U8 tensors of one element.
  void writeShard(const std::string &file,
                  const std::vector<std::string> &names) {
    static const uint8_t byte[] = {7};
    std::vector<TensorBytes> tensors;
    for (const std::string &name : names)
      tensors.push_back({name, "U8", {1}, byte});
    ASSERT_TRUE(writeSafetensors(folder / file, tensors, {}).ok());
  }
  /// pairs of tensor and shard
  void
  writeIndex(const std::vector<std::pair<std::string, std::string>> &places) {
    std::string map;
    for (const auto &[tensor, shard] : places)
      map += (map.empty() ? "\"" : ",\"") + tensor + "\":\"" + shard + "\"";
    writeBytes(folder / "model.safetensors.index.json",
               "{\"weight_map\":{" + map + "}}");
  }
  Status open() { return Checkpoint::open(folder.path, checkpoint); }

  TempFolder folder;
  Checkpoint checkpoint;
};

} // namespace

TEST_F(CheckpointFolder, Shards) {
  writeShard("1.safetensors", {"a", "b"});
  writeShard("2.safetensors", {"c"});
  writeIndex(
      {{"c", "2.safetensors"}, {"a", "1.safetensors"}, {"b", "1.safetensors"}});
  Status status = open();
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(checkpoint.tensors().size(), 3u);
  EXPECT_EQ(checkpoint.files().size(), 3u);
  Checkpoint::Entry entry = checkpoint.find("c");
  ASSERT_TRUE(bool(entry));
  uint8_t byte = 0;
  ASSERT_TRUE(entry.read(0, {&byte, 1}).ok());
  EXPECT_EQ(byte, 7);
  EXPECT_FALSE(bool(checkpoint.find("d")));
  EXPECT_EQ(checkpoint.tensors()[0].tensor->name, "a");
}

TEST_F(CheckpointFolder, OneFileWithoutIndex) {
  writeShard("model.safetensors", {"a"});
  ASSERT_TRUE(open().ok());
  EXPECT_EQ(checkpoint.tensors().size(), 1u);
  Checkpoint direct;
  ASSERT_TRUE(Checkpoint::open(folder / "model.safetensors", direct).ok());
  EXPECT_TRUE(bool(direct.find("a")));
}

TEST_F(CheckpointFolder, NothingThere) {
  expectError(open(), 130,
              "no checkpoint here (wanted model.safetensors.index."
              "json or model.safetensors)");
  expectError(Checkpoint::open(folder / "none", checkpoint), 601,
              "No such file");
  expectError(Checkpoint::open("", checkpoint), 605, "''");
}

TEST_F(CheckpointFolder, PicklesAreNotRead) {
  for (const char *name : {"pytorch_model.bin", "model.pt", "m.pth"}) {
    writeBytes(folder / name, "\x80\x02");
    expectError(open(), 131,
                std::string(name) + ": pickle files are not read (they can run "
                                    "code)\nhelp: convert to safetensors");
    expectError(Checkpoint::open(folder / name, checkpoint), 131, "pickle");
    fs::remove(folder / name);
  }
}

TEST_F(CheckpointFolder, LfsPointers) {
  writeBytes(folder / "model.safetensors",
             "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n");
  expectError(open(), 112, "is a git-lfs pointer");
}

TEST_F(CheckpointFolder, MissingShard) {
  writeShard("1.safetensors", {"a"});
  writeIndex({{"a", "1.safetensors"}, {"b", "2.safetensors"}});
  Status status = open();
  expectError(status, 132, "2.safetensors: cannot open: No such file");
  EXPECT_EQ(status.code(), Code::BadInput);
}

TEST_F(CheckpointFolder, TensorInTwoShards) {
  writeShard("1.safetensors", {"a", "b"});
  writeShard("2.safetensors", {"b"});
  writeIndex({{"a", "1.safetensors"}, {"b", "2.safetensors"}});
  expectError(open(), 133, "tensor 'b' is also in '");
}

TEST_F(CheckpointFolder, ShardTwiceUnderTwoNames) {
  writeShard("1.safetensors", {"a"});
  fs::create_hard_link(folder / "1.safetensors", folder / "2.safetensors");
  writeIndex({{"a", "1.safetensors"}, {"b", "2.safetensors"}});
  expectError(open(), 133, "2.safetensors: is the same file as '");
}

TEST_F(CheckpointFolder, TensorIsNotInItsShard) {
  writeShard("1.safetensors", {"a"});
  writeShard("2.safetensors", {"b"});
  writeIndex(
      {{"a", "2.safetensors"}, {"b", "2.safetensors"}, {"c", "1.safetensors"}});
  expectError(open(), 134,
              "2.safetensors: tensor 'a' is not in it, but the "
              "index says so");
}

TEST_F(CheckpointFolder, ShardsStayBeneathTheFolder) {
  TempFolder outside;
  writeBytes(outside / "secret", "secret");
  writeIndex({{"a", "../" + outside.path + "/secret"}});
  expectError(open(), 122, "shard path leaves the model folder");
  writeIndex({{"a", outside / "secret"}});
  expectError(open(), 122, "shard path leaves the model folder");
  fs::create_symlink(outside / "secret", folder / "link");
  writeIndex({{"a", "link"}});
  expectError(open(), 602, "is reached through a link");
  fs::create_directory_symlink(outside.path, folder / "up");
  writeIndex({{"a", "up/secret"}});
  expectError(open(), 602, "is reached through a link");
}

// The kernel itself is asked whether the file outside was opened.
TEST_F(CheckpointFolder, NothingOutsideIsOpened) {
  TempFolder outside;
  writeBytes(outside / "secret", "secret");
  int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(events, 0);
  for (const std::string &path : {outside.path, outside / "secret"})
    ASSERT_GE(inotify_add_watch(events, path.c_str(), IN_OPEN | IN_ACCESS), 0);
  fs::create_symlink(outside / "secret", folder / "link");
  fs::create_directory_symlink(outside.path, folder / "up");
  for (const std::string &shard :
       {"../" + fs::path(outside.path).filename().string() + "/secret",
        outside / "secret", std::string("link"), std::string("up/secret")}) {
    writeIndex({{"a", shard}});
    EXPECT_FALSE(open().ok()) << shard;
  }
  char event[4096];
  EXPECT_EQ(read(events, event, sizeof(event)), -1);
  EXPECT_EQ(errno, EAGAIN);
  // And the watch does work.
  (void)readBytes(outside / "secret");
  EXPECT_GT(read(events, event, sizeof(event)), 0);
  close(events);
}

TEST_F(CheckpointFolder, ShardIsNotARegularFile) {
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  writeIndex({{"a", "fifo"}});
  expectError(open(), 603, "fifo: is a pipe (wanted a regular file)");
  fs::create_directory(folder / "dir");
  writeIndex({{"a", "dir"}});
  expectError(open(), 603, "dir: is a folder");
  fs::create_symlink("x", folder / "model.safetensors");
  fs::remove(folder / "model.safetensors.index.json");
  expectError(open(), 602, "is reached through a link");
}

TEST_F(CheckpointFolder, DamagedIndexAndShard) {
  writeBytes(folder / "model.safetensors.index.json", "{");
  expectError(open(), 120, "model.safetensors.index.json: index is not JSON");
  writeShard("1.safetensors", {"a"});
  std::string bytes = readBytes(folder / "1.safetensors");
  writeBytes(folder / "1.safetensors", bytes.substr(0, bytes.size() - 1));
  writeIndex({{"a", "1.safetensors"}});
  expectError(open(), 108,
              "1.safetensors: tensor 'a': data_offsets [0, 1) lie "
              "outside the 0 bytes of data");
}
