// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 of bytes that come in pieces.

#ifndef K3_RUNTIME_BASE_SHA256_H
#define K3_RUNTIME_BASE_SHA256_H

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace k3 {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256 &) = delete;
  Sha256 &operator=(const Sha256 &) = delete;

  void update(std::span<const uint8_t> bytes);
  void update(std::string_view text);
  /// Ends the message; the object cannot be used afterwards.
  Digest digest();
  std::string hex();

private:
  evp_md_ctx_st *context;
};

Digest sha256Of(std::span<const uint8_t> bytes);
/// 64 lower-case hexadecimal digits.
std::string hexOf(const Digest &digest);

} // namespace k3

#endif // K3_RUNTIME_BASE_SHA256_H
