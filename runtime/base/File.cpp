// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// openat, fstat and pread; what goes wrong becomes text.

#include "runtime/base/File.h"

#include "runtime/base/Escape.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace k3;

namespace {

// Without O_NONBLOCK the open of a pipe would wait for its other end.
constexpr int readFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

Status cannot(const char *what, const std::string &path, int error) {
  return Status::error(Code::Io, 601,
                       escaped(path) + ": cannot " + what + ": " +
                           std::strerror(error));
}

Status leaves(const std::string &path) {
  return Status::error(Code::BadInput, 602,
                       escaped(path) + ": shard path leaves the model folder "
                                       "(wanted a regular file beneath it)");
}

const char *kindOf(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return "a folder";
  case S_IFIFO:
    return "a pipe";
  case S_IFSOCK:
    return "a socket";
  case S_IFCHR:
  case S_IFBLK:
    return "a device";
  case S_IFLNK:
    return "a link";
  }
  return "of an unknown kind";
}

int openRetrying(int folder, const char *path, int flags) {
  int fd;
  do
    fd = ::openat(folder, path, flags);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/// Whether the system can be asked for the path as it is.
bool isPath(const std::string &path) {
  return !path.empty() && path.find('\0') == std::string::npos;
}

} // namespace

Descriptor::~Descriptor() {
  if (fd >= 0)
    ::close(fd);
}

Status InputFile::open(const std::string &path, InputFile &out) {
  if (!isPath(path))
    return Status::error(Code::BadUsage, 605,
                         quote(path) + " is not the name of a file");
  Descriptor fd(openRetrying(AT_FDCWD, path.c_str(), readFlags));
  if (fd.get() < 0)
    return cannot("open", path, errno);
  return adopt(std::move(fd), path, out);
}

Status InputFile::adopt(Descriptor fd, std::string path, InputFile &out) {
  struct stat info;
  if (fstat(fd.get(), &info) != 0)
    return cannot("examine", path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::error(Code::BadInput, 603,
                         escaped(path) + ": is " + kindOf(info.st_mode) +
                             " (wanted a regular file)");
  InputFile file;
  file.fd = std::move(fd);
  file.bytes = uint64_t(info.st_size);
  file.device = info.st_dev;
  file.inode = info.st_ino;
  file.name = std::move(path);
  out = std::move(file);
  return {};
}

Status InputFile::read(uint64_t offset, std::span<uint8_t> out) const {
  while (!out.empty()) {
    // Linux reads at most 2 GiB at once.
    size_t part = std::min(out.size(), size_t(1) << 30);
    ssize_t got = ::pread(fd.get(), out.data(), part, off_t(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cannot("read", name, errno);
    if (got == 0)
      return Status::error(Code::Io, 604,
                           escaped(name) + ": file changed while being read (" +
                               "ends at byte " + std::to_string(offset) + ")");
    out = out.subspan(size_t(got));
    offset += uint64_t(got);
  }
  return {};
}

Status Folder::open(const std::string &path, Folder &out) {
  if (!isPath(path))
    return Status::error(Code::BadUsage, 605,
                         quote(path) + " is not the name of a folder");
  Descriptor fd(
      openRetrying(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (fd.get() < 0)
    return cannot("open the folder", path, errno);
  Folder folder;
  folder.fd = std::move(fd);
  folder.name = path;
  out = std::move(folder);
  return {};
}

bool Folder::has(const std::string &file) const {
  struct stat info;
  return isPath(file) && file.find('/') == std::string::npos &&
         fstatat(fd.get(), file.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

Status Folder::list(size_t most, std::vector<std::string> &out) const {
  int copy = openRetrying(fd.get(), ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  DIR *stream = copy < 0 ? nullptr : fdopendir(copy);
  if (!stream) {
    int error = errno;
    if (copy >= 0)
      ::close(copy);
    return cannot("list", name, error);
  }
  out.clear();
  while (const dirent *entry = readdir(stream))
    if (std::strcmp(entry->d_name, ".") && std::strcmp(entry->d_name, "..") &&
        out.size() < most)
      out.push_back(entry->d_name);
  closedir(stream);
  std::sort(out.begin(), out.end());
  return {};
}

Status Folder::openFile(const std::string &file, InputFile &out) const {
  std::string path = name + "/" + file;
  if (!isPath(file) || file[0] == '/')
    return leaves(path);
  // Part by part from the descriptor of the folder before it, so that neither
  // '..' nor a link is ever followed.
  Descriptor current;
  for (size_t begin = 0; begin <= file.size();) {
    size_t end = std::min(file.find('/', begin), file.size());
    std::string part = file.substr(begin, end - begin);
    bool isLast = end == file.size();
    if (part.empty() || part == "." || part == "..")
      return leaves(path);
    int flags =
        O_NOFOLLOW | (isLast ? readFlags : O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    int at = begin == 0 ? fd.get() : current.get();
    Descriptor next(openRetrying(at, part.c_str(), flags));
    if (next.get() < 0) {
      int error = errno;
      struct stat info;
      bool isLink =
          fstatat(at, part.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(info.st_mode);
      if (isLink)
        return Status::error(Code::BadInput, 602,
                             escaped(path) + ": is reached through a link, and "
                                             "may leave the model folder",
                             "copy the model with cp -rL");
      return cannot("open", path, error);
    }
    current = std::move(next);
    begin = end + 1;
  }
  return InputFile::adopt(std::move(current), std::move(path), out);
}

Status k3::readFile(const std::string &path, uint64_t most,
                    std::vector<uint8_t> &out) {
  InputFile file;
  K3_TRY(InputFile::open(path, file));
  return readFile(file, most, out);
}

Status k3::readFile(const InputFile &file, uint64_t most,
                    std::vector<uint8_t> &out) {
  if (file.size() > most)
    return Status::error(
        Code::BadInput, 606,
        escaped(file.path()) + ": has " + std::to_string(file.size()) +
            " bytes (wanted at most " + std::to_string(most) + ")");
  out.resize(file.size());
  return file.read(0, out);
}
