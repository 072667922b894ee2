// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The x86-64 levels that kernels are compiled for.

#ifndef K3_TARGET_X86_CPUTARGET_H
#define K3_TARGET_X86_CPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace k3 {

/// What lowering and code generation need to know of a level.
struct CpuTarget {
  llvm::StringRef name;           ///< "x86-64-v4"
  llvm::StringRef cpu;            ///< LLVM's -mcpu
  llvm::StringRef targetFeatures; ///< LLVM's -mattr
  int64_t vectorWidth;            ///< fp32 lanes of one register
  int64_t vectorRegisters;        ///< how many there are
  bool hasBf16Dot;                ///< vdpbf16ps
  /// Features, by their LLVM names, that a machine must have.
  llvm::ArrayRef<llvm::StringRef> required;
};

/// Every level, best first.
llvm::ArrayRef<CpuTarget> cpuTargets();

/// The level of that name; null if there is none.
const CpuTarget *findCpuTarget(llvm::StringRef name);

} // namespace k3

#endif // K3_TARGET_X86_CPUTARGET_H
