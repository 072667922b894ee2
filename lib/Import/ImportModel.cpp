// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folder -> configuration, tensors, report -> verified module.

#include "k3/Import/ImportModel.h"

#include "ImportErrors.h"

#include "k3/Dialect/K3/IR/K3.h"
#include "runtime/base/File.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace k3;

static Status readText(const std::string &path, std::string &text) {
  constexpr uint64_t maxBytes = uint64_t(16) << 20;
  std::vector<uint8_t> bytes;
  K3_TRY(readFile(path, maxBytes, bytes));
  text.assign(bytes.begin(), bytes.end());
  return {};
}

Status k3::readModelFolder(const std::string &path, ModelFolder &folder) {
  folder.path = path;
  std::string configPath = path + "/config.json", text;
  K3_TRY(readText(configPath, text));
  K3_TRY(readModelConfig(text, configPath, folder.config));
  K3_TRY(readTensorTable(path, folder.tensors, folder.files));
  folder.files.push_back(configPath);
  std::vector<PlannedWeight> plan;
  K3_TRY(planWeights(folder.config, folder.tensors, plan).in(path));
  folder.report = checkTensors(folder.config, folder.tensors, plan);
  return {};
}

void k3::registerImportDialects(DialectRegistry &registry) {
  registry.insert<K3Dialect, func::FuncDialect>();
}

Status k3::importModel(MLIRContext &context, const ModelFolder &folder,
                       std::optional<Precision> precision,
                       OwningOpRef<ModuleOp> &module) {
  context.loadAllAvailableDialects();
  const std::vector<DeclaredWeight> &weights = folder.report.weights;
  std::string problem;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (problem.empty())
      problem = diagnostic.str();
    return success();
  });
  module =
      buildModel(context, folder.config, weights,
                 precision.value_or(defaultPrecision(folder.config, weights)));
  if (succeeded(verify(*module)))
    return {};
  return importError(ImportInternal,
                     folder.path +
                         ": the imported module is not valid: " + problem);
}

std::string k3::printModel(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo().assumeVerified());
  stream << "\n";
  return text;
}
