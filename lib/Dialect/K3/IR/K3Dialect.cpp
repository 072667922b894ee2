// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the dialect, its attributes and its ops.

#include "k3/Dialect/K3/IR/K3.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "k3/Dialect/K3/IR/K3Dialect.cpp.inc"
#include "k3/Dialect/K3/IR/K3Enums.cpp.inc"
#include "k3/Dialect/K3/IR/K3Interfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "k3/Dialect/K3/IR/K3Attributes.cpp.inc"

#define GET_OP_CLASSES
#include "k3/Dialect/K3/IR/K3Ops.cpp.inc"

void k3::K3Dialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "k3/Dialect/K3/IR/K3Attributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "k3/Dialect/K3/IR/K3Ops.cpp.inc"
      >();
}
