// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The temporary file lies beside its target, so that the rename stays on one
// file system. All of it happens in the folder's descriptor.

#include "runtime/base/AtomicFile.h"

#include "runtime/base/Escape.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace k3;

namespace {

/// Bytes go to these as they come; there is nothing to rename.
bool isStream(const std::string &path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/null";
}

/// The beginning of the temporary names of a target. A name of 255 bytes, the
/// longest there is, loses its end.
std::string temporaryPrefix(const std::string &name) {
  constexpr size_t longest = 220;
  return name.substr(0, longest) + ".tmp.";
}

/// write(2) that answers a file size limit with EFBIG instead of a signal that
/// ends the process.
ssize_t writeSome(int fd, const void *bytes, size_t count) {
  sigset_t limit, before;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  ssize_t result = ::write(fd, bytes, count);
  int error = errno;
  if (result < 0 && error == EFBIG) {
    timespec none = {};
    (void)sigtimedwait(&limit, nullptr, &none);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return result;
}

Status ioError(int number, const std::string &path, const std::string &what) {
  return Status::error(Code::Io, number, escaped(path) + ": " + what);
}

struct SplitPath {
  std::string folder, name;
};

Status split(const std::string &path, SplitPath &out) {
  size_t slash = path.rfind('/');
  out.name = slash == std::string::npos ? path : path.substr(slash + 1);
  out.folder = slash == std::string::npos ? "."
               : slash == 0               ? "/"
                                          : path.substr(0, slash);
  if (out.name.empty() || out.name == "." || out.name == ".." ||
      path.find('\0') != std::string::npos)
    return Status::error(Code::BadUsage, 605,
                         quote(path) + " is not the name of a file");
  return {};
}

Status openFolder(const std::string &path, const SplitPath &parts,
                  Descriptor &out) {
  out = Descriptor(
      ::open(parts.folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (out.get() < 0)
    return ioError(610, path,
                   "cannot write into '" + escaped(parts.folder) +
                       "': " + std::strerror(errno));
  if (faccessat(out.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    return ioError(610, path,
                   "cannot write into '" + escaped(parts.folder) + "': " +
                       (errno == EROFS || errno == EACCES
                            ? "the folder is read-only"
                            : std::strerror(errno)));
  return {};
}

/// The target is absent or a regular file.
Status checkTarget(const std::string &path, int folder,
                   const std::string &name) {
  struct stat info;
  if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT
               ? Status()
               : ioError(610, path,
                         std::string("cannot write: ") + std::strerror(errno));
  const char *kind = S_ISREG(info.st_mode)    ? nullptr
                     : S_ISLNK(info.st_mode)  ? "a link"
                     : S_ISDIR(info.st_mode)  ? "a folder"
                     : S_ISFIFO(info.st_mode) ? "a pipe"
                     : S_ISSOCK(info.st_mode) ? "a socket"
                                              : "a device";
  if (!kind)
    return {};
  return Status::error(
      Code::Io, 611,
      escaped(path) + ": is " + kind + " (wanted a regular file or a new name)",
      S_ISLNK(info.st_mode) ? "give the file that the link points to" : "");
}

/// Removes "<name>.tmp.<pid>..." of processes that are gone. A process that is
/// there, whoever owns it, keeps its file.
void removeStale(int folder, const std::string &folderPath,
                 const std::string &name) {
  constexpr size_t most = 100'000;
  Folder listing;
  std::vector<std::string> files;
  if (!Folder::open(folderPath, listing).ok() ||
      !listing.list(most, files).ok())
    return;
  std::string prefix = temporaryPrefix(name);
  for (const std::string &file : files) {
    if (file.compare(0, prefix.size(), prefix) != 0)
      continue;
    const char *end = file.data() + file.size();
    pid_t owner = 0;
    auto [rest, error] =
        std::from_chars(file.data() + prefix.size(), end, owner);
    bool isOurs =
        error == std::errc() && owner > 0 && (rest == end || *rest == '.');
    if (isOurs && ::kill(owner, 0) != 0 && errno == ESRCH)
      (void)::unlinkat(folder, file.c_str(), 0);
  }
}

} // namespace

AtomicFile::~AtomicFile() {
  if (file.get() >= 0 && !streams)
    (void)::unlinkat(folder.get(), temporary.c_str(), 0);
}

Status AtomicFile::fail(const char *what, int error) const {
  std::string where = target == "-" ? "standard output" : escaped(target);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    return Status::error(Code::Resources, 612,
                         where + ": no space left (" + std::strerror(error) +
                             " after " + std::to_string(written) + " bytes)");
  return Status::error(
      Code::Io, 610, where + ": cannot " + what + ": " + std::strerror(error));
}

Status AtomicFile::check(const std::string &path) {
  if (isStream(path))
    return {};
  SplitPath parts;
  Descriptor folder;
  K3_TRY(split(path, parts));
  K3_TRY(openFolder(path, parts, folder));
  return checkTarget(path, folder.get(), parts.name);
}

Status AtomicFile::create(const std::string &path) {
  target = path;
  if (isStream(path)) {
    streams = true;
    int fd = path == "/dev/null" ? ::open("/dev/null", O_WRONLY | O_CLOEXEC)
                                 : ::dup(STDOUT_FILENO);
    file = Descriptor(fd);
    return fd < 0 ? fail("write", errno) : Status();
  }
  SplitPath parts;
  K3_TRY(split(path, parts));
  K3_TRY(openFolder(path, parts, folder));
  K3_TRY(checkTarget(path, folder.get(), parts.name));
  removeStale(folder.get(), parts.folder, parts.name);
  finalName = parts.name;
  return createBeside(parts.name);
}

Status AtomicFile::createBeside(const std::string &name) {
  // Several threads of one process may write one target.
  constexpr int attempts = 1000;
  std::string base = temporaryPrefix(name) + std::to_string(::getpid());
  for (int attempt = 0; attempt < attempts; ++attempt) {
    temporary = attempt ? base + "." + std::to_string(attempt) : base;
    int fd =
        ::openat(folder.get(), temporary.c_str(),
                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) {
      file = Descriptor(fd);
      return {};
    }
    if (errno != EEXIST && errno != EINTR)
      break;
  }
  return fail("create", errno);
}

Status AtomicFile::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    size_t part = std::min(bytes.size(), size_t(1) << 30);
    ssize_t count = writeSome(file.get(), bytes.data(), part);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == EAGAIN) {
      // The standard output may be a pipe that somebody made non-blocking.
      pollfd wait = {file.get(), POLLOUT, 0};
      (void)::poll(&wait, 1, -1);
      continue;
    }
    if (count < 0)
      return fail("write", errno);
    written += uint64_t(count);
    bytes = bytes.subspan(size_t(count));
  }
  return {};
}

Status AtomicFile::write(std::string_view text) {
  return write(
      std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

Status AtomicFile::commit() {
  if (streams)
    return {};
  if (::fsync(file.get()) != 0)
    return fail("flush", errno);
  if (::renameat(folder.get(), temporary.c_str(), folder.get(),
                 finalName.c_str()) != 0)
    return fail("rename to", errno);
  // From here the temporary name is no longer ours.
  int fd = file.release();
  if (::close(fd) != 0 && errno != EINTR)
    return fail("close", errno);
  // Some file systems cannot flush a folder; the file itself is complete.
  (void)::fsync(folder.get());
  return {};
}

Status k3::writeFile(const std::string &path, std::span<const uint8_t> bytes) {
  AtomicFile file;
  K3_TRY(file.create(path));
  K3_TRY(file.write(bytes));
  return file.commit();
}

Status k3::writeFile(const std::string &path, std::string_view text) {
  return writeFile(
      path,
      std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}
