// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses IR. MLIR's parser recurses, so nesting is bounded before it starts.

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"
#include "k3/Pipeline/Pipeline.h"
#include "k3/Target/X86/KernelObject.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace k3;

static constexpr unsigned maxNesting = 256;

void k3::registerCompileDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<K3Dialect>();
  registerObjectDialects(registry);
}

/// The line on which brackets outside of strings and comments nest deeper than
/// the limit; 0 if there is none.
static unsigned tooDeepAt(llvm::StringRef text) {
  unsigned depth[4] = {}, line = 1;
  constexpr llvm::StringLiteral open = "{([<", close = "})]>";
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (size_t kind = open.find(c); kind != llvm::StringRef::npos) {
      if (++depth[kind] > maxNesting)
        return line;
    } else if (size_t kind = close.find(c); kind != llvm::StringRef::npos) {
      bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
      if (!arrow && depth[kind] > 0)
        --depth[kind];
    }
  }
  return 0;
}

Status k3::readModule(MLIRContext &context,
                      const std::shared_ptr<llvm::SourceMgr> &sources,
                      OwningOpRef<ModuleOp> &module) {
  auto *buffer = sources->getMemoryBuffer(sources->getMainFileID());
  auto refuse = [&](int number, const std::string &what) {
    return Status::error(Code::BadInput, number,
                         buffer->getBufferIdentifier().str() + ": " + what);
  };
  if (buffer->getBuffer().trim().empty())
    return refuse(501, "file is empty (wanted a k3 module)");
  if (!isBytecode(buffer->getMemBufferRef()))
    if (unsigned line = tooDeepAt(buffer->getBuffer()))
      return refuse(502, "line " + std::to_string(line) +
                             " is nested too deeply (limit " +
                             std::to_string(maxNesting) + ")");
  module = parseSourceFile<ModuleOp>(sources, &context);
  return module ? Status() : refuse(501, "not a valid module");
}
