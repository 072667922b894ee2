// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX -> machine code, by NVIDIA's assembler, whose report says what a kernel
// needs.

#include "k3/Target/NVPTX/GpuCode.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace k3;

static std::string inFolder(StringRef folder) {
  SmallString<128> path(folder);
  sys::path::append(path, "ptxas");
  return sys::fs::can_execute(path) ? std::string(path) : std::string();
}

std::string k3::findAssembler() {
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (auto root = sys::Process::GetEnv(variable))
      if (std::string path = inFolder(*root + "/bin"); !path.empty())
        return path;
  if (ErrorOr<std::string> path = sys::findProgramByName("ptxas"))
    return *path;
  return inFolder("/usr/local/cuda/bin");
}

namespace {

/// A temporary file that goes away with its owner.
class TemporaryFile {
public:
  ~TemporaryFile() {
    if (!path.empty())
      sys::fs::remove(path);
  }
  std::error_code create(StringRef suffix) {
    return sys::fs::createTemporaryFile("k3", suffix, path);
  }
  std::error_code write(StringRef text) {
    std::error_code error;
    raw_fd_ostream stream(path, error);
    if (!error)
      stream << text;
    stream.close();
    return error ? error : stream.error();
  }
  std::error_code read(std::string &bytes) {
    auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    if (!buffer)
      return buffer.getError();
    bytes = (*buffer)->getBuffer().str();
    return {};
  }
  SmallString<128> path;
};

unsigned number(StringRef line, StringRef unit) {
  Regex pattern("([0-9]+) " + unit.str());
  SmallVector<StringRef> found;
  unsigned value = 0;
  if (pattern.match(line, &found))
    found[1].getAsInteger(10, value);
  return value;
}

/// Reads the lines of `ptxas -v`: an entry's name, then its stack and spills,
/// then its registers.
void readReport(StringRef report, AssembledCode &code) {
  for (StringRef line : split(report, '\n')) {
    SmallVector<StringRef> found;
    static const Regex entry("Compiling entry function '([^']*)'");
    if (entry.match(line, &found)) {
      code.kernels.push_back({found[1].str()});
    } else if (line.contains("arning") || line.contains("(C75")) {
      code.warnings.push_back(line.trim().str());
    } else if (!code.kernels.empty()) {
      KernelResources &kernel = code.kernels.back();
      if (line.contains("bytes stack frame")) {
        kernel.stackBytes = number(line, "bytes stack frame");
        kernel.spillBytes = number(line, "bytes spill stores") +
                            number(line, "bytes spill loads");
      } else if (line.contains("Used ")) {
        kernel.registers = number(line, "registers");
        kernel.sharedBytes = number(line, "bytes smem");
      }
    }
  }
}

} // namespace

static k3::Status io(const char *what, std::error_code error) {
  return k3::Status::error(Code::Io, 593,
                           std::string("assembling PTX: cannot ") + what +
                               " a temporary file: " + error.message());
}

k3::Status k3::assemblePtx(StringRef assembler, StringRef ptx,
                           const GpuTarget &target, AssembledCode &code) {
  TemporaryFile input, output, report;
  for (auto [file, suffix] :
       {std::pair{&input, "ptx"}, {&output, "cubin"}, {&report, "log"}})
    if (std::error_code error = file->create(suffix))
      return io("create", error);
  if (std::error_code error = input.write(ptx))
    return io("write", error);

  StringRef arguments[] = {assembler,   "-v",       "-O3", "--gpu-name",
                           target.name, input.path, "-o",  output.path};
  std::optional<StringRef> redirects[] = {"", report.path.str(),
                                          report.path.str()};
  std::string message;
  int exit =
      sys::ExecuteAndWait(assembler, arguments, std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  std::string text;
  if (std::error_code error = report.read(text))
    return io("read", error);
  if (exit != 0) {
    if (message.empty())
      message = StringRef(text).trim().split('\n').first.str();
    return k3::Status::error(Code::Internal, 594,
                             assembler.str() + " refused the PTX for " +
                                 target.name.str() + ": " + message);
  }
  readReport(text, code);
  if (std::error_code error = output.read(code.cubin))
    return io("read", error);
  return {};
}
