// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the k3 module of a model from its configuration and weights.

#ifndef K3_IMPORT_MODELBUILDER_H
#define K3_IMPORT_MODELBUILDER_H

#include "k3/Import/TensorCheck.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace k3 {

/// Element type of activations.
enum class Precision { BFloat16, Float32 };

/// What the configuration says, else what the embedding table is stored as.
Precision defaultPrecision(const ModelConfig &config,
                           const std::vector<DeclaredWeight> &weights);

/// A module with `prefill`, `decode` and `score`. The k3 and func dialects must
/// be loaded in `context`.
mlir::OwningOpRef<mlir::ModuleOp>
buildModel(mlir::MLIRContext &context, const ModelConfig &config,
           const std::vector<DeclaredWeight> &weights, Precision precision);

} // namespace k3

#endif // K3_IMPORT_MODELBUILDER_H
