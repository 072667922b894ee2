// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of the safetensors files of a model folder.

#include "k3/Import/TensorTable.h"

#include "ConfigObject.h"
#include "ImportErrors.h"
#include "Printable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace k3;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;
namespace fs = llvm::sys::fs;

/// Static strings, so that half a million tensors share them.
static StringRef knownType(StringRef dtype) {
  constexpr StringRef known[] = {"BF16", "F32",     "F16",     "F64", "U8",
                                 "I8",   "F8_E4M3", "F8_E5M2", "I32", "I64",
                                 "BOOL", "I16",     "U16",     "U32", "U64"};
  const StringRef *found = llvm::find(known, dtype);
  return found == std::end(known) ? StringRef("of unknown name") : *found;
}

namespace {
class HeaderReader {
public:
  HeaderReader(const std::string &file, TensorTable &table)
      : file(file), table(table) {}
  Status read();

private:
  Status refuse(const std::string &what) {
    return importError(ImportHeader, file + ": " + what);
  }
  Status addTensor(StringRef name, const json::Value &value);

  const std::string &file;
  TensorTable &table;
};
} // namespace

Status HeaderReader::addTensor(StringRef name, const json::Value &value) {
  std::string where = "tensor '" + printable(name) + "'";
  const json::Object *entry = value.getAsObject();
  const json::Array *sizes = entry ? entry->getArray("shape") : nullptr;
  std::optional<StringRef> dtype =
      entry ? entry->getString("dtype") : std::nullopt;
  if (!sizes || !dtype)
    return refuse(where + " has no dtype or shape");
  llvm::SmallVector<int64_t> shape;
  for (const json::Value &size : *sizes) {
    std::optional<int64_t> number = size.getAsInteger();
    if (!number || *number < 0)
      return refuse(where + " has a shape that is not of positive integers");
    shape.push_back(*number);
  }
  if (table.contains(name))
    return refuse(where + " is also in another file");
  table.add(name, knownType(*dtype), shape);
  return {};
}

Status HeaderReader::read() {
  constexpr uint64_t maxHeader = uint64_t(100) << 20;
  uint64_t size = 0;
  if (std::error_code error = fs::file_size(file, size))
    return Status::error(Code::Io, ImportHeader, file + ": " + error.message());
  if (size < 8)
    return refuse(
        formatv("{0} bytes (a safetensors file has at least 8)", size));
  auto prefix = llvm::MemoryBuffer::getFileSlice(file, 8, 0);
  if (!prefix)
    return Status::error(Code::Io, ImportHeader,
                         file + ": " + prefix.getError().message());
  uint64_t length =
      llvm::support::endian::read64le((*prefix)->getBufferStart());
  if (length > size - 8 || length > maxHeader)
    return refuse(formatv("header of {0} bytes (wanted at most {1})", length,
                          std::min(size - 8, maxHeader)));
  auto header = llvm::MemoryBuffer::getFileSlice(file, length, 8);
  if (!header)
    return Status::error(Code::Io, ImportHeader,
                         file + ": " + header.getError().message());
  StringRef text = (*header)->getBuffer();
  if (unsigned depth = jsonDepth(text); depth > 8)
    return refuse(formatv("header nested {0} deep (at most 8)", depth));
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return refuse("header is not JSON: " + llvm::toString(value.takeError()));
  const json::Object *tensors = value->getAsObject();
  if (!tensors)
    return refuse("header is not a JSON object");
  for (const auto &[name, entry] : *tensors)
    if (StringRef(name) != "__metadata__")
      K3_TRY(addTensor(name, entry));
  return {};
}

Status k3::readTensorTable(const std::string &folder, TensorTable &table,
                           std::vector<std::string> &files) {
  std::error_code error;
  bool pickles = false;
  for (fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    StringRef extension = llvm::sys::path::extension(it->path());
    if (extension == ".safetensors")
      files.push_back(it->path());
    pickles |= extension == ".bin" || extension == ".pt";
  }
  if (error)
    return Status::error(Code::Io, ImportHeader,
                         folder + ": " + error.message());
  if (files.empty())
    return importError(ImportHeader,
                       folder + (pickles ? ": pickle files are not read (they "
                                           "can run code)"
                                         : ": no .safetensors file"),
                       pickles ? "convert them to safetensors" : "");
  llvm::sort(files);
  for (const std::string &file : files)
    K3_TRY(HeaderReader(file, table).read());
  return {};
}
