// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error numbers of the import beyond the configuration's (ConfigObject.h).

#ifndef K3_LIB_IMPORT_IMPORTERRORS_H
#define K3_LIB_IMPORT_IMPORTERRORS_H

#include "runtime/base/Status.h"

namespace k3 {

enum ImportError {
  ImportMismatch = 210,    ///< tensors are missing or have another shape
  ImportUnsupported = 211, ///< an element type or size that has no kernel
  ImportUnexpected = 212,  ///< with --strict, a tensor that nothing needs
  ImportInternal = 220,    ///< the module that was built does not verify
};

inline Status importError(ImportError number, std::string text,
                          std::string help = {}) {
  return Status::error(number == ImportInternal ? Code::Internal
                                                : Code::BadInput,
                       number, std::move(text), std::move(help));
}

} // namespace k3

#endif // K3_LIB_IMPORT_IMPORTERRORS_H
