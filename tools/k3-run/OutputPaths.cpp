// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are compared by device and number, so links do not hide an input.

#include "OutputPaths.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Escape.h"

#include <filesystem>
#include <set>
#include <sys/stat.h>

namespace k3::run {

namespace {

using Identity = std::pair<dev_t, ino_t>;

bool identify(const std::string &path, Identity &out) {
  struct stat info;
  if (path.empty() || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return false;
  out = {info.st_dev, info.st_ino};
  return true;
}

/// The checkpoint's files: those in the folder, or the one file that it is.
void addCheckpoint(const std::string &path, std::vector<std::string> &read) {
  read.push_back(path);
  std::error_code error;
  std::filesystem::directory_iterator end, at(path, error);
  for (; !error && at != end; at.increment(error))
    read.push_back(at->path().string());
}

} // namespace

Status checkOutputPaths(const Options &options, std::vector<std::string> read,
                        std::vector<std::string> written) {
  for (const std::string &path : {options.artefact, options.promptFile})
    read.push_back(path);
  if (!options.weights.empty())
    addCheckpoint(options.weights, read);
  std::set<Identity> inputs;
  Identity identity;
  for (const std::string &path : read)
    if (identify(path, identity))
      inputs.insert(identity);
  if (!options.saveState.empty() && identify(options.saveState, identity) &&
      inputs.count(identity))
    written.push_back(options.saveState);
  if (identify(options.loadState, identity))
    inputs.insert(identity);
  if (!options.trace.empty())
    written.push_back(options.trace);
  for (const std::string &path : written) {
    if (identify(path, identity) && inputs.count(identity))
      return Status::error(Code::BadUsage, 447,
                           escaped(path) +
                               " is an input and would be overwritten");
    K3_TRY(AtomicFile::check(path));
  }
  return {};
}

} // namespace k3::run
