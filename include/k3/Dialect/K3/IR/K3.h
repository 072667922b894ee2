// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The k3 dialect, its attributes and its ops.

#ifndef K3_DIALECT_K3_IR_K3_H
#define K3_DIALECT_K3_IR_K3_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace k3 {
/// Unit attribute of functions that are called with one token a sequence.
constexpr llvm::StringLiteral kOneTokenName = "k3.one_token";
} // namespace k3

namespace k3::OpTrait {
/// See K3_RowWise in K3Base.td.
template <typename ConcreteType>
class RowWise : public mlir::OpTrait::TraitBase<ConcreteType, RowWise> {};
} // namespace k3::OpTrait

#include "k3/Dialect/K3/IR/K3Dialect.h.inc"
#include "k3/Dialect/K3/IR/K3Enums.h.inc"
#include "k3/Dialect/K3/IR/K3Interfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "k3/Dialect/K3/IR/K3Attributes.h.inc"

#define GET_OP_CLASSES
#include "k3/Dialect/K3/IR/K3Ops.h.inc"

#endif // K3_DIALECT_K3_IR_K3_H
