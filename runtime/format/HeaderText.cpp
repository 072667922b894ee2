// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes next decides what may come: an object of objects with three known
// fields each.

#include "runtime/format/HeaderText.h"

#include "runtime/base/Escape.h"
#include "runtime/format/JsonReader.h"

using namespace k3;

namespace {

constexpr size_t mostRank = 64;

Status refuse(int number, const std::string &what) {
  return Status::error(Code::BadInput, number, what);
}

struct ElementType {
  std::string_view name;
  size_t bytes; // 0: smaller than a byte
};

constexpr ElementType elementTypes[] = {
    {"BF16", 2},        {"F32", 4},        {"U8", 1},      {"F16", 2},
    {"I32", 4},         {"I64", 8},        {"F64", 8},     {"I8", 1},
    {"BOOL", 1},        {"U16", 2},        {"I16", 2},     {"U32", 4},
    {"U64", 8},         {"F8_E4M3", 1},    {"F8_E5M2", 1}, {"F8_E8M0", 1},
    {"F8_E4M3FNUZ", 1}, {"F8_E5M2FNUZ", 1}};

const ElementType *findElementType(std::string_view name) {
  for (const ElementType &type : elementTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

/// Builds the header from the events of its text.
class HeaderVisitor final : public JsonVisitor {
public:
  explicit HeaderVisitor(SafetensorsHeader &header) : header(header) {}

  Status beginObject() override {
    if (depth == 2 || field != Field::None)
      return unexpected("an object");
    ++depth;
    if (depth == 2 && !inMetadata)
      header.tensors.emplace_back().name = std::move(name);
    seen = 0;
    return {};
  }

  Status endObject() override {
    --depth;
    if (depth == 0)
      return {};
    if (inMetadata) {
      inMetadata = false;
      return {};
    }
    for (Field wanted : {Field::DType, Field::Shape, Field::Offsets})
      if (!(seen & 1u << unsigned(wanted)))
        return refuse(105, tensorText(current().name) + ": field '" +
                               nameOf(wanted) + "' is missing");
    return {};
  }

  Status key(std::string &text) override {
    if (text.find('\0') != std::string::npos)
      return refuse(104, "name " + quote(text) + " holds a zero character");
    // Every tensor has four.
    if (++entries > 5 * mostHeaderTensors)
      return refuse(111, "header has too many entries");
    if (depth == 1) {
      name = std::move(text);
      inMetadata = name == "__metadata__";
      if (inMetadata && std::exchange(hasMetadata, true))
        return refuse(106, "'__metadata__' appears twice in the header");
      if (header.tensors.size() >= mostHeaderTensors)
        return refuse(111, "header has more than " +
                               std::to_string(mostHeaderTensors) + " tensors");
      return {};
    }
    if (inMetadata) {
      metadataKey = std::move(text);
      return {};
    }
    for (Field known : {Field::DType, Field::Shape, Field::Offsets})
      if (text == nameOf(known))
        return enterField(known);
    return refuse(105, tensorText(current().name) + ": unknown field " +
                           quote(text));
  }

  Status beginArray() override {
    if ((field != Field::Shape && field != Field::Offsets) || inArray)
      return unexpected("an array");
    inArray = true;
    numOffsets = 0;
    return {};
  }

  Status endArray() override {
    inArray = false;
    Field done = std::exchange(field, Field::None);
    if (done == Field::Offsets && numOffsets != 2)
      return refuse(108, tensorText(current().name) + ": data_offsets has " +
                             std::to_string(numOffsets) +
                             " numbers (wanted 2)");
    if (done == Field::Offsets && current().begin > current().end)
      return refuse(108, tensorText(current().name) + ": data_offsets " +
                             rangeText(current()) + " end before they begin");
    return {};
  }

  Status number(uint64_t value) override {
    if (!inArray)
      return unexpected("a number");
    // Sizes are added and multiplied as signed numbers elsewhere.
    if (value > uint64_t(INT64_MAX))
      return otherNumber(std::to_string(value), "too large");
    if (field == Field::Shape) {
      if (current().shape.size() >= mostRank)
        return refuse(111, tensorText(current().name) + ": rank is above " +
                               std::to_string(mostRank));
      current().shape.push_back(int64_t(value));
      return {};
    }
    if (numOffsets < 2)
      (numOffsets == 0 ? current().begin : current().end) = value;
    ++numOffsets;
    return {};
  }

  Status otherNumber(const std::string &text, const char *kind) override {
    if (!inArray)
      return unexpected("a number");
    return refuse(field == Field::Offsets ? 108 : 109,
                  tensorText(current().name) + ": " + nameOf(field) +
                      " holds " + shortened(text, 40) + ", which is " + kind);
  }

  Status string(std::string &text) override {
    if (depth == 2 && inMetadata) {
      if (!header.metadata.emplace(metadataKey, std::move(text)).second)
        return refuse(106, "metadata key " + quote(metadataKey) +
                               " appears twice in the header");
      return {};
    }
    if (field != Field::DType)
      return unexpected("a string");
    field = Field::None;
    const ElementType *type = findElementType(text);
    if (!type)
      return refuse(110, "dtype " + quote(text) + " is not supported for " +
                             quote(current().name) +
                             " (wanted F32, BF16, F16, F64, I32, I64 or U8)");
    current().dtype = type->name;
    return {};
  }

  Status word(const char *text) override { return unexpected(text); }

private:
  enum class Field { None, DType, Shape, Offsets };

  static const char *nameOf(Field field) {
    switch (field) {
    case Field::None:
      break;
    case Field::DType:
      return "dtype";
    case Field::Shape:
      return "shape";
    case Field::Offsets:
      return "data_offsets";
    }
    return "";
  }

  SafetensorsTensor &current() { return header.tensors.back(); }

  Status enterField(Field known) {
    if (seen & 1u << unsigned(known))
      return refuse(106, tensorText(current().name) + ": field '" +
                             nameOf(known) + "' appears twice");
    seen |= 1u << unsigned(known);
    field = known;
    return {};
  }

  Status unexpected(const char *what) {
    std::string where = depth == 0   ? "header"
                        : inMetadata ? "metadata of the header"
                        : depth == 1 ? tensorText(name)
                                     : tensorText(current().name);
    const char *wanted = depth == 0 || (depth == 1) ? "an object"
                         : inMetadata               ? "a string"
                         : field == Field::DType    ? "a string as dtype"
                         : inArray                  ? "a number"
                                                    : "an array";
    return refuse(105,
                  where + ": unexpected " + what + " (wanted " + wanted + ")");
  }

  SafetensorsHeader &header;
  std::string name, metadataKey;
  uint64_t entries = 0;
  unsigned seen = 0; // a bit for each field of the tensor
  int depth = 0, numOffsets = 0;
  Field field = Field::None; // whose value comes next
  bool inArray = false, inMetadata = false, hasMetadata = false;
};

} // namespace

std::string k3::tensorText(const std::string &name) {
  return "tensor " + quote(name);
}

std::string k3::rangeText(const SafetensorsTensor &tensor) {
  return "[" + std::to_string(tensor.begin) + ", " +
         std::to_string(tensor.end) + ")";
}

size_t k3::safetensorsElementBytes(std::string_view dtype) {
  const ElementType *type = findElementType(dtype);
  return type ? type->bytes : 0;
}

Status k3::readHeaderText(std::span<const uint8_t> json,
                          SafetensorsHeader &out) {
  HeaderVisitor visitor(out);
  return readJson(json, "header", {104, 111}, visitor);
}
