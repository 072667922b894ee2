// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images that the fake libcuda loads: x86-64 machine code behind a list of
// kernels, in place of a cubin or, by path, of PTX.

#ifndef K3_TEST_SUPPORT_FAKEIMAGE_H
#define K3_TEST_SUPPORT_FAKEIMAGE_H

#include <cstdint>
#include <string>
#include <vector>

namespace k3::fake {

/// A kernel of an image: what the fake must know to call a function with the
/// CPU's convention from a launch with the GPU's.
struct ImageKernel {
  std::string entry;  ///< as in the launch
  std::string symbol; ///< in the shared object
  uint32_t buffers = 0, dims = 0;
  uint64_t scratch = 0;
  uint32_t threads = 0, workgroupsPerBlock = 1;
};

/// "K3FAKE", the kernels, and the bytes of a shared object.
std::string fakeCubin(const std::vector<ImageKernel> &kernels,
                      const std::string &sharedObject);
/// Text that names a file with such an image.
std::string fakePtx(const std::string &cubinPath);

/// The parts of an image as a driver gets it: a pointer without a size. False
/// when it is neither of the above.
bool readFakeImage(const void *image, std::vector<ImageKernel> &kernels,
                   std::string &sharedObject, bool &isPtx);

} // namespace k3::fake

#endif // K3_TEST_SUPPORT_FAKEIMAGE_H
