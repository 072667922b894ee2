// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text header with the sizes, since nobody else tells them.

#include "test/support/FakeImage.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace k3::fake;

namespace {
constexpr const char *cubinMagic = "K3FAKE ", *ptxMagic = "// k3-fake-ptx ";
} // namespace

std::string k3::fake::fakeCubin(const std::vector<ImageKernel> &kernels,
                                const std::string &sharedObject) {
  std::ostringstream text;
  text << cubinMagic << kernels.size() << " " << sharedObject.size() << "\n";
  for (const ImageKernel &k : kernels)
    text << k.entry << " " << k.symbol << " " << k.buffers << " " << k.dims
         << " " << k.scratch << " " << k.threads << " " << k.workgroupsPerBlock
         << "\n";
  return text.str() + sharedObject;
}

std::string k3::fake::fakePtx(const std::string &cubinPath) {
  return ptxMagic + cubinPath + "\n.version 8.0\n.target sm_80\n";
}

bool k3::fake::readFakeImage(const void *image,
                             std::vector<ImageKernel> &kernels,
                             std::string &sharedObject, bool &isPtx) {
  const char *bytes = static_cast<const char *>(image);
  isPtx = std::strncmp(bytes, ptxMagic, std::strlen(ptxMagic)) == 0;
  std::string file;
  if (isPtx) {
    const char *path = bytes + std::strlen(ptxMagic);
    std::ifstream in(std::string(path, std::strcspn(path, "\n")),
                     std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(in), {});
    bytes = file.c_str();
  }
  if (std::strncmp(bytes, cubinMagic, std::strlen(cubinMagic)) != 0)
    return false;
  auto nextLine = [&] {
    const char *begin = bytes;
    bytes = std::strchr(bytes, '\n') + 1;
    return std::istringstream(std::string(begin, bytes));
  };
  size_t count = 0, size = 0;
  std::string magic;
  nextLine() >> magic >> count >> size;
  for (size_t i = 0; i < count; ++i) {
    ImageKernel k;
    nextLine() >> k.entry >> k.symbol >> k.buffers >> k.dims >> k.scratch >>
        k.threads >> k.workgroupsPerBlock;
    kernels.push_back(k);
  }
  sharedObject.assign(bytes, size);
  return true;
}
