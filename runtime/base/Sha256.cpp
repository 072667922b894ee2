// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Through libcrypto.

#include "runtime/base/Sha256.h"

#include <cstdlib>
#include <openssl/evp.h>

using namespace k3;

Sha256::Sha256() : context(EVP_MD_CTX_new()) {
  // Fails only when there are no 100 bytes left, or libcrypto lacks SHA-256.
  if (!context || !EVP_DigestInit_ex(context, EVP_sha256(), nullptr))
    std::abort();
}

Sha256::~Sha256() { EVP_MD_CTX_free(context); }

void Sha256::update(std::span<const uint8_t> bytes) {
  EVP_DigestUpdate(context, bytes.data(), bytes.size());
}

void Sha256::update(std::string_view text) {
  EVP_DigestUpdate(context, text.data(), text.size());
}

Digest Sha256::digest() {
  Digest result;
  EVP_DigestFinal_ex(context, result.data(), nullptr);
  return result;
}

std::string Sha256::hex() { return hexOf(digest()); }

Digest k3::sha256Of(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.digest();
}

std::string k3::hexOf(const Digest &digest) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}
