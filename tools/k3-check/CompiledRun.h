// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiled side: a module through the pipeline and the runtime.

#ifndef K3_TOOLS_K3_CHECK_COMPILEDRUN_H
#define K3_TOOLS_K3_CHECK_COMPILEDRUN_H

#include "k3/Pipeline/Pipeline.h"
#include "k3/Reference/ModelRunner.h"

namespace k3 {

struct CompiledRun {
  std::string target;    ///< a name for parseTargets
  std::string precision; ///< as for the pipeline
  std::string recurrence;
  std::string weights; ///< the checkpoint, or empty
  std::string entry;
  int64_t slots = 1, capacity = 4096;
  int threads = 0;

  /// Outputs by name with their element types ("F32", "BF16", ...).
  reference::NamedTensors outputs;
  std::map<std::string, std::string> dtypes;

  /// Compiles `module`, which is changed, and runs the entry once in fresh
  /// slots 0, 1, ....
  Status run(mlir::ModuleOp module, const reference::NamedTensors &inputs);
};

} // namespace k3

#endif // K3_TOOLS_K3_CHECK_COMPILEDRUN_H
