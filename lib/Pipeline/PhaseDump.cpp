// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps for people: plain files, not published by rename.

#include "PhaseDump.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace k3;

std::string k3::printKernels(llvm::ArrayRef<CompiledLevel> levels,
                             llvm::StringRef phase) {
  std::string text;
  for (const CompiledLevel &level : levels) {
    for (const CompiledKernel &kernel : level.kernels) {
      if (!text.empty())
        text += "\n// -----\n\n";
      text += "// " + kernel.lowered.symbol + " for " +
              level.target->name.str() + "\n";
      if (phase == "lower")
        text += kernel.loops;
      else if (phase == "llvm")
        text += kernel.llvm;
      else
        text += kernel.object.assembly;
    }
  }
  return text;
}

static Status writeText(llvm::StringRef path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return Status::error(Code::Io, 601, path.str() + ": " + error.message());
  return {};
}

static unsigned numberOf(llvm::StringRef phase) {
  for (auto [index, row] : llvm::enumerate(phases()))
    if (row.name == phase)
      return index;
  return 0;
}

static std::string pathOf(const std::string &folder, llvm::StringRef phase) {
  llvm::SmallString<128> path(folder);
  std::string name;
  llvm::raw_string_ostream(name)
      << llvm::format("%02u.", numberOf(phase)) << phase;
  llvm::sys::path::append(path, name);
  return std::string(path);
}

Status k3::dumpPhase(const std::string &folder, llvm::StringRef phase,
                     llvm::StringRef extension, llvm::StringRef text) {
  if (folder.empty())
    return {};
  return writeText(pathOf(folder, phase) + "." + extension.str(), text);
}

/// A kernel's name as a file name: a module may give any name.
static std::string fileName(size_t number, llvm::StringRef symbol) {
  std::string name;
  llvm::raw_string_ostream(name) << llvm::format("%03zu.", number);
  for (char c : symbol.take_front(100))
    name += llvm::isAlnum(c) || c == '_' || c == '-' || c == '.' ? c : '_';
  return name;
}

Status k3::dumpObjects(const std::string &folder,
                       llvm::ArrayRef<CompiledLevel> levels) {
  if (folder.empty())
    return {};
  for (const CompiledLevel &level : levels) {
    llvm::SmallString<128> path(pathOf(folder, "object"));
    path += ".";
    path += level.target->name;
    if (std::error_code error = llvm::sys::fs::create_directory(path))
      return Status::error(Code::Io, 601,
                           std::string(path) + ": " + error.message());
    for (auto [number, kernel] : llvm::enumerate(level.kernels)) {
      llvm::SmallString<128> file(path);
      llvm::sys::path::append(file, fileName(number, kernel.lowered.symbol));
      std::string stem(file);
      K3_TRY(writeText(stem + ".ll", kernel.object.ir));
      K3_TRY(writeText(stem + ".s", kernel.object.assembly));
      K3_TRY(writeText(stem + ".o", kernel.object.bytes));
    }
  }
  return {};
}
