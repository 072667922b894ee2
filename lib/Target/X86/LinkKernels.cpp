// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs lld inside the process on files that live in memory only, so nothing is
// left behind when a compile ends early.

#include "CodeGenerator.h"
#include "MemoryFile.h"

#include "lld/Common/Driver.h"
#include "llvm/Object/ELFObjectFile.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace k3;

namespace {

/// lld keeps its state in globals, so one link runs at a time.
Status runLld(llvm::ArrayRef<std::string> arguments) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  llvm::SmallVector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string output, problems;
  llvm::raw_string_ostream outStream(output), errorStream(problems);
  static bool usable = true;
  if (!usable)
    return Status::error(Code::Internal, 590, "lld crashed earlier");
  lld::Result result =
      lld::lldMain(argv, outStream, errorStream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode == 0)
    return {};
  return Status::error(Code::Internal, 590,
                       llvm::StringRef(problems).split('\n').first.str());
}

/// The exported symbols are exactly the kernels, and none is undefined.
Status checkExports(llvm::StringRef image,
                    llvm::ArrayRef<std::string> kernels) {
  auto refuse = [](const llvm::Twine &what) {
    return Status::error(Code::Internal, 590, what.str());
  };
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(image, "kernels"));
  if (!file)
    return refuse(llvm::toString(file.takeError()));
  auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->get());
  size_t exported = 0;
  for (const llvm::object::ELFSymbolRef &symbol :
       elf->getDynamicSymbolIterators()) {
    auto name = symbol.getName();
    if (!name)
      return refuse(llvm::toString(name.takeError()));
    if (!llvm::is_contained(kernels, *name))
      return refuse("linked code has the symbol '" + *name +
                    "', which is no kernel");
    ++exported;
  }
  if (exported != kernels.size())
    return refuse("linked code exports " + llvm::Twine(exported) +
                  " kernels (wanted " + llvm::Twine(kernels.size()) + ")");
  return {};
}

} // namespace

Status k3::linkKernels(llvm::ArrayRef<std::string> objects,
                       const CpuTarget &target,
                       llvm::ArrayRef<std::string> kernels,
                       std::string &image) {
  std::string routines;
  K3_TRY(emitMemoryRoutines(target, routines));
  MemorySink output;
  K3_TRY(output.create());
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "-o",
                                        output.path(),
                                        "--threads=1",
                                        "--build-id=none",
                                        "--hash-style=gnu",
                                        "--strip-all",
                                        "--gc-sections",
                                        "--no-undefined",
                                        "-Bsymbolic",
                                        "--no-dynamic-linker",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack"};
  std::vector<std::unique_ptr<MemoryFile>> inputs;
  auto add = [&](llvm::StringRef bytes) -> Status {
    inputs.push_back(std::make_unique<MemoryFile>());
    K3_TRY(inputs.back()->create(bytes));
    arguments.push_back(inputs.back()->path());
    return {};
  };
  for (const std::string &object : objects)
    K3_TRY(add(object));
  K3_TRY(add(routines));
  K3_TRY(runLld(arguments));
  image = output.finish();
  return checkExports(image, kernels);
}
