// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last resort of a compile.

#include "Reproducer.h"

#include "runtime/base/Status.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace k3;

std::string k3::writeReproducer(llvm::StringRef input, llvm::StringRef flags) {
  llvm::SmallString<128> path;
  int file;
  if (llvm::sys::fs::createTemporaryFile("k3-compile", "mlir", file, path))
    return {};
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << "// k3-compile " << path << " -o " << path << ".fatbin";
  stream << flags << "\n" << input;
  stream.close();
  bool failed = stream.has_error();
  stream.clear_error();
  return failed ? std::string() : std::string(path);
}

/// LLVM cannot go on after this; crash recovery takes over where it is active.
static void onFatalError(void *, const char *reason, bool) {
  std::fprintf(stderr, "k3-compile: error[K3-E0590]: internal error: %.160s\n",
               reason);
  if (llvm::CrashRecoveryContext::GetCurrent())
    std::abort();
  _exit(int(Code::Internal));
}

static void onOutOfMemory(void *, const char *, bool) {
  constexpr char text[] = "k3-compile: error[K3-E0591]: out of memory\n";
  (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
  _exit(int(Code::Resources));
}

void k3::catchFatalErrors() {
  // A file-size limit is an error of write, with a message.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onOutOfMemory);
  llvm::install_out_of_memory_new_handler();
  llvm::CrashRecoveryContext::Enable();
}
