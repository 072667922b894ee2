// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memfd_create, then dlopen of the descriptor's path.

#include "runtime/device/cpu/SharedObject.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace k3;
using namespace k3::cpu;

namespace {

Status systemError(const char *call) {
  return Status::error(Code::Environment, 421,
                       std::string("cannot load the code object: ") + call +
                           ": " + std::strerror(errno));
}

/// The dynamic loader trusts what it maps, so what it would misread is
/// refused before it.
Status checkHeader(std::span<const uint8_t> bytes) {
  Elf64_Ehdr header;
  auto refuse = [](const char *what) {
    return Status::error(Code::BadInput, 421,
                         std::string("cannot load the code object: ") + what);
  };
  if (bytes.size() < sizeof(header))
    return refuse("it is shorter than an ELF header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return refuse("it is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
    return refuse("it is not for x86-64");
  if (header.e_type != ET_DYN)
    return refuse("it is not a shared object");
  return {};
}

Status writeAll(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return systemError("write");
    bytes = bytes.subspan(written);
  }
  return {};
}

} // namespace

Status SharedObject::load(std::span<const uint8_t> bytes, SharedObject &out) {
  K3_TRY(checkHeader(bytes));
  SharedObject object;
  object.file = memfd_create("k3-code", MFD_CLOEXEC);
  if (object.file < 0)
    return systemError("memfd_create");
  K3_TRY(writeAll(object.file, bytes));
  std::string path = "/proc/self/fd/" + std::to_string(object.file);
  object.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.handle) {
    const char *why = dlerror();
    return Status::error(Code::Environment, 421,
                         std::string("cannot load the code object: ") +
                             (why ? why : "unknown reason"));
  }
  out = std::move(object);
  return {};
}

void *SharedObject::find(const char *symbol) const {
  return handle ? dlsym(handle, symbol) : nullptr;
}

SharedObject::~SharedObject() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}
