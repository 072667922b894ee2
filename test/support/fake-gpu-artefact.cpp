// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fake-gpu-artefact IN OUT [SOURCE]: see FakeGpuArtefact.h. For tests of the
// tools.

#include "runtime/base/AtomicFile.h"
#include "runtime/base/File.h"
#include "test/support/FakeGpuArtefact.h"

#include <cstdio>

using namespace k3;

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    std::fputs("usage: fake-gpu-artefact IN OUT [SOURCE]\n", stderr);
    return 2;
  }
  fake::GpuChange change;
  change.workgroupsPerBlock = 3;
  if (argc == 4)
    change.source = argv[3];
  std::vector<uint8_t> bytes;
  std::string out;
  Status status = readFile(argv[1], uint64_t(4) << 30, bytes);
  if (status.ok())
    status = fake::addFakeGpuCode(std::string(bytes.begin(), bytes.end()),
                                  change, out);
  if (status.ok())
    status = writeFile(argv[2], out);
  if (!status.ok())
    std::fprintf(stderr, "fake-gpu-artefact: %s\n", status.render().c_str());
  return int(status.code());
}
