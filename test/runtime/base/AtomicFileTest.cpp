// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever happens, the target is the old file or the new one, whole, and no
// temporary file stays behind.

#include "runtime/base/AtomicFile.h"
#include "test/runtime/TempFolder.h"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace k3;
using namespace k3::test;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

struct AtomicFiles : testing::Test {
  TempFolder folder;
};

/// Runs `body` in a process of its own and returns its exit status, or 128
/// plus the signal that ended it.
template <class Body> int inChild(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The id of a process that is gone.
pid_t deadProcess() {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

} // namespace

TEST_F(AtomicFiles, WritesNewAndReplacesOld) {
  ASSERT_TRUE(writeFile(folder / "f", "one").ok());
  EXPECT_EQ(readBytes(folder / "f"), "one");
  ASSERT_TRUE(writeFile(folder / "f", "two").ok());
  EXPECT_EQ(readBytes(folder / "f"), "two");
  ASSERT_TRUE(writeFile(folder / "empty", "").ok());
  EXPECT_EQ(folder.list(), (Names{"empty", "f"}));
}

TEST_F(AtomicFiles, WithoutCommitNothingChanges) {
  writeBytes(folder / "f", "old");
  {
    AtomicFile file;
    ASSERT_TRUE(file.create(folder / "f").ok());
    ASSERT_TRUE(file.write("new").ok());
    EXPECT_EQ(readBytes(folder / "f"), "old");
    EXPECT_EQ(folder.list().size(), 2u);
  }
  EXPECT_EQ(readBytes(folder / "f"), "old");
  EXPECT_EQ(folder.list(), Names{"f"});
}

TEST_F(AtomicFiles, FolderIsMissingOrNotOne) {
  Status status = writeFile(folder / "none/f", "x");
  expectError(status, 610, "No such file or directory");
  EXPECT_EQ(status.code(), Code::Io);
  writeBytes(folder / "file", "x");
  expectError(writeFile(folder / "file/f", "x"), 610, "Not a directory");
  expectError(AtomicFile::check(folder / "none/f"), 610, "cannot write into");
  EXPECT_TRUE(AtomicFile::check(folder / "new").ok());
  EXPECT_EQ(folder.list(), Names{"file"});
}

TEST_F(AtomicFiles, FolderIsReadOnly) {
  fs::create_directory(folder / "ro");
  fs::permissions(folder.path, fs::perms(0755));
  fs::permissions(folder / "ro", fs::perms(0555));
  // The administrator may write everywhere, so become nobody.
  int result = inChild([&] {
    if (geteuid() == 0 && setuid(65534) != 0)
      return 99;
    Status status = AtomicFile::check(folder / "ro/f");
    bool isRight = status.number() == 610 &&
                   status.text().find("read-only") != std::string::npos;
    return isRight && writeFile(folder / "ro/f", "x").number() == 610 ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST_F(AtomicFiles, TargetIsNotARegularFile) {
  fs::create_directory(folder / "dir");
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  writeBytes(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  fs::create_symlink("none", folder / "dangling");
  Names before = folder.list();
  expectError(writeFile(folder / "dir", "x"), 611, "is a folder");
  expectError(writeFile(folder / "fifo", "x"), 611, "is a pipe");
  expectError(writeFile(folder / "link", "x"), 611, "is a link");
  expectError(writeFile(folder / "dangling", "x"), 611, "is a link");
  Status status = writeFile("/dev/full", "x");
  expectError(status, 611, "is a device");
  EXPECT_EQ(status.code(), Code::Io);
  EXPECT_EQ(folder.list(), before);
  EXPECT_EQ(readBytes(folder / "real"), "old");
}

TEST_F(AtomicFiles, OneOfTwoHardLinksIsReplaced) {
  writeBytes(folder / "f", "old");
  fs::create_hard_link(folder / "f", folder / "other");
  ASSERT_TRUE(writeFile(folder / "f", "new").ok());
  EXPECT_EQ(readBytes(folder / "f"), "new");
  EXPECT_EQ(readBytes(folder / "other"), "old");
}

TEST_F(AtomicFiles, StreamsToTheStandardOutput) {
  for (const char *path : {"-", "/dev/stdout"}) {
    int result = inChild([&] {
      if (!freopen((folder / "out").c_str(), "wb", stdout))
        return 99;
      return writeFile(path, "text").ok() ? 0 : 1;
    });
    EXPECT_EQ(result, 0);
    EXPECT_EQ(readBytes(folder / "out"), "text");
  }
  EXPECT_TRUE(writeFile("/dev/null", "text").ok());
}

// Signals and a reader that is slower than the writer make writes short.
TEST_F(AtomicFiles, ShortAndInterruptedWritesFinish) {
  std::string text(2'000'000, '\0');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = char(i * 7 + i / 1000);
  for (int flags : {0, O_NONBLOCK}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      struct sigaction action = {};
      action.sa_handler = [](int) {};
      sigaction(SIGALRM, &action, nullptr);
      itimerval timer = {{0, 1000}, {0, 1000}};
      setitimer(ITIMER_REAL, &timer, nullptr);
      dup2(ends[1], STDOUT_FILENO);
      fcntl(STDOUT_FILENO, F_SETFL, flags);
      close(ends[0]);
      close(ends[1]);
      _exit(writeFile("-", text).ok() ? 0 : 1);
    }
    close(ends[1]);
    std::string got;
    char part[10000];
    for (ssize_t count; (count = read(ends[0], part, sizeof(part))) > 0;) {
      got.append(part, size_t(count));
      usleep(100);
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(got == text);
  }
}

// A limit on file sizes stands for the full disk: both are refused by write.
TEST_F(AtomicFiles, DiskIsFull) {
  writeBytes(folder / "f", "old");
  int result = inChild([&] {
    rlimit limit = {1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return 99;
    Status status = writeFile(folder / "f", std::string(5000, 'x'));
    bool isRight = status.number() == 612 && status.code() == Code::Resources &&
                   status.text().find("no space left") != std::string::npos &&
                   status.text().find("after 1000 bytes") != std::string::npos;
    return isRight ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(readBytes(folder / "f"), "old");
  EXPECT_EQ(folder.list(), Names{"f"});
}

TEST_F(AtomicFiles, FullDeviceBehindTheStandardOutput) {
  int result = inChild([&] {
    if (!freopen("/dev/full", "wb", stdout))
      return 99;
    return writeFile("-", "text").number() == 612 ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST_F(AtomicFiles, NamesAreBytes) {
  for (const std::string &name :
       {std::string("\xff\xfe"), std::string("with space"),
        std::string("line\nbreak"), std::string("-o"), std::string(255, 'n'),
        std::string(240, 'm')}) {
    ASSERT_TRUE(writeFile(folder / name, name).ok());
    EXPECT_EQ(readBytes(folder / name), name);
  }
  EXPECT_EQ(folder.list().size(), 6u);
  expectError(writeFile("", "x"), 605, "'' is not the name of a file");
  expectError(writeFile(folder.path + "/", "x"), 605, "is not the name");
  expectError(writeFile(folder / "..", "x"), 605, "is not the name");
  expectError(writeFile(folder / std::string(256, 'n'), "x"), 610, "too long");
  expectError(writeFile(folder / std::string(5000, 'n'), "x"), 610, "too long");
  expectError(writeFile(folder / "\x1b[2J/f", "x"), 610, "\\x1b[2J");
}

TEST_F(AtomicFiles, StaleFilesOfDeadProcessesAreRemoved) {
  std::string dead = std::to_string(deadProcess());
  std::string alive = std::to_string(getppid());
  writeBytes(folder / ("f.tmp." + dead), "");
  writeBytes(folder / ("f.tmp." + dead + ".3"), "");
  writeBytes(folder / ("f.tmp." + alive), "");
  writeBytes(folder / ("other.tmp." + dead), "");
  writeBytes(folder / "f.tmp.x", "");
  writeBytes(folder / "f.tmp.-1", "");
  ASSERT_TRUE(writeFile(folder / "f", "x").ok());
  Names wanted = {"f", "f.tmp.-1", "f.tmp." + alive, "f.tmp.x",
                  "other.tmp." + dead};
  EXPECT_EQ(folder.list(), wanted);
}

TEST_F(AtomicFiles, KilledWritersLeaveTheOldFile) {
  writeBytes(folder / "f", "old");
  int result = inChild([&] {
    AtomicFile file;
    if (!file.create(folder / "f").ok() || !file.write("half").ok())
      return 99;
    raise(SIGKILL);
    return 98;
  });
  EXPECT_EQ(result, 128 + SIGKILL);
  EXPECT_EQ(readBytes(folder / "f"), "old");
  EXPECT_EQ(folder.list().size(), 2u);
  ASSERT_TRUE(writeFile(folder / "f", "new").ok());
  EXPECT_EQ(folder.list(), Names{"f"});
}

TEST_F(AtomicFiles, ManyProcessesOneTarget) {
  constexpr int processes = 16, rounds = 25;
  std::string text(20000, 'x');
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t child = fork();
    if (child == 0) {
      bool isRight = true;
      for (int round = 0; round < rounds; ++round) {
        isRight &= writeFile(folder / "f", text + char('a' + p)).ok();
        std::string seen = readBytes(folder / "f");
        isRight &= seen.size() == text.size() + 1 &&
                   seen.compare(0, text.size(), text) == 0;
      }
      _exit(isRight ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(folder.list(), Names{"f"});
}

TEST_F(AtomicFiles, ManyThreadsOneTarget) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round)
        EXPECT_TRUE(
            writeFile(folder / "f", std::string(5000, char('a' + t))).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(readBytes(folder / "f").size(), 5000u);
  EXPECT_EQ(folder.list(), Names{"f"});
}
