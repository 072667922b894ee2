// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model folder (config.json and safetensors) as a k3 module. Reads headers
// only.

#ifndef K3_IMPORT_IMPORTMODEL_H
#define K3_IMPORT_IMPORTMODEL_H

#include "k3/Import/ModelBuilder.h"

#include "mlir/IR/DialectRegistry.h"

#include <optional>
#include <string>
#include <vector>

namespace k3 {

/// A folder that was read and compared with its configuration.
struct ModelFolder {
  std::string path;
  ModelConfig config;
  TensorTable tensors;
  std::vector<std::string> files; ///< every file that was read
  TensorReport report;            ///< may list misfits
};

Status readModelFolder(const std::string &path, ModelFolder &folder);

/// Dialects that an imported module uses.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Builds and verifies the module of a folder whose report fits. Without
/// `precision` the folder's own is taken.
Status importModel(mlir::MLIRContext &context, const ModelFolder &folder,
                   std::optional<Precision> precision,
                   mlir::OwningOpRef<mlir::ModuleOp> &module);

/// The text of a module, with locations, ending in a newline.
std::string printModel(mlir::ModuleOp module);

} // namespace k3

#endif // K3_IMPORT_IMPORTMODEL_H
