#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace loadline::net {

/// Bytes from the system's generator of secrets. REQUIRES: the generator works; the program ends if it does not.
[[nodiscard]] std::string random_bytes(std::size_t count);
/// A bearer token that cannot be guessed: 256 bits, in letters that need no escaping anywhere.
[[nodiscard]] std::string random_token();
/// A UUID of version 4.
[[nodiscard]] std::string random_uuid();

/// Compares in a time that depends on the lengths only.
[[nodiscard]] bool equal_secrets(std::string_view a, std::string_view b);

[[nodiscard]] std::string sha256(std::string_view bytes);

/// A P-256 key that signs service account tokens (ES256). Signing takes some tens of microseconds.
class SigningKey {
 public:
  static SigningKey generate();
  /// Reads what `pem` wrote. Fails for other texts and for keys of other kinds.
  static Result<SigningKey> from_pem(std::string_view pem);

  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;
  ~SigningKey();

  /// The private key, PKCS #8: for a file that only its owner may read.
  [[nodiscard]] std::string pem() const;
  /// Names the public key, as kube-apiserver does: the hash of its DER form.
  [[nodiscard]] const std::string& id() const { return id_; }
  /// The coordinates of the public key, 32 bytes each.
  [[nodiscard]] std::string x() const;
  [[nodiscard]] std::string y() const;

  /// 64 bytes: r, then s.
  [[nodiscard]] std::string sign(std::string_view message) const;
  [[nodiscard]] bool verify(std::string_view message, std::string_view signature) const;

 private:
  struct Key;
  explicit SigningKey(std::unique_ptr<Key> key);
  [[nodiscard]] std::string coordinate(const char* name) const;

  std::unique_ptr<Key> key_;
  std::string id_;
};

}  // namespace loadline::net
