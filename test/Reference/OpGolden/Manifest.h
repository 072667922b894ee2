// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// manifest.json and the tensors it names.

#ifndef K3_TEST_REFERENCE_OPGOLDEN_MANIFEST_H
#define K3_TEST_REFERENCE_OPGOLDEN_MANIFEST_H

#include "OpCase.h"

#include "llvm/Support/JSON.h"

namespace k3::golden {

/// One entry of the manifest. What is missing is remembered as a problem and
/// read as an empty tensor or zero, so that builders need no checks.
class ManifestCase {
public:
  using Files = std::map<std::string, NamedTensors>;

  ManifestCase(const llvm::json::Object &entry, std::string folder,
               Files &files)
      : entry(entry), folder(std::move(folder)), files(files) {}

  std::string model() const { return text("model"); }
  std::string name() const { return text("case"); }
  std::string text(llvm::StringRef key) const;
  /// A number at the top, in `shape`, `dims` or `tolerance`.
  double number(llvm::StringRef key) const;
  std::vector<int32_t> numbers(llvm::StringRef key) const;

  bool hasInput(llvm::StringRef name) const { return has("inputs", name); }
  bool hasOutput(llvm::StringRef name) const { return has("outputs", name); }
  Tensor input(llvm::StringRef name) { return tensor("inputs", name); }
  Tensor output(llvm::StringRef name) { return tensor("outputs", name); }

  /// Empty when everything was found.
  const std::string &problem() const { return firstProblem; }

private:
  bool has(llvm::StringRef kind, llvm::StringRef name) const;
  Tensor tensor(llvm::StringRef kind, llvm::StringRef name);

  const llvm::json::Object &entry;
  std::string folder;
  Files &files;
  std::string firstProblem;
};

/// [B, T, ...] as [B * tokens, ...], with the first `tokens` of each T.
Tensor packed(const Tensor &x, int64_t tokens);
Tensor packed(const Tensor &x);
Tensor reshaped(Tensor x, llvm::ArrayRef<int64_t> shape);

} // namespace k3::golden

#endif // K3_TEST_REFERENCE_OPGOLDEN_MANIFEST_H
