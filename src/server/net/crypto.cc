#include "server/net/crypto.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "foundation/base/base64.h"
#include "server/net/openssl_pointers.h"

namespace loadline::net {
namespace {

constexpr std::size_t kHalf = 32;  // bytes of r, of s and of a coordinate

/// For what can fail only if the machine is out of memory or of chance: nothing secret can be made then.
void require(bool works, const char* what) {
  if (works) return;
  std::fprintf(stderr, "cryptography failed: %s\n", what);
  std::abort();
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX, EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG, ECDSA_SIG_free>>;

/// DER, as OpenSSL signs, to r and s.
std::string to_raw(std::string_view der) {
  const unsigned char* at = bytes_of(der);
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  require(signature != nullptr, "reading a signature");
  std::string raw(2 * kHalf, '\0');
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), bytes_of(raw), kHalf);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), bytes_of(raw) + kHalf, kHalf);
  return raw;
}

std::string to_der(std::string_view raw) {
  const Signature signature(ECDSA_SIG_new());
  ECDSA_SIG_set0(signature.get(), BN_bin2bn(bytes_of(raw), kHalf, nullptr),
                 BN_bin2bn(bytes_of(raw) + kHalf, kHalf, nullptr));
  std::string der(static_cast<std::size_t>(i2d_ECDSA_SIG(signature.get(), nullptr)), '\0');
  unsigned char* at = bytes_of(der);
  i2d_ECDSA_SIG(signature.get(), &at);
  return der;
}

bool is_p256(EVP_PKEY* key) {
  std::array<char, 32> group{};
  return EVP_PKEY_is_a(key, "EC") == 1 && EVP_PKEY_get_group_name(key, group.data(), group.size(), nullptr) == 1 &&
         std::string_view(group.data()) == "prime256v1";
}

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  require(RAND_bytes(bytes_of(bytes), static_cast<int>(count)) == 1, "random bytes");
  return bytes;
}

std::string random_token() { return encode_base64url(random_bytes(32)); }

std::string random_uuid() {
  std::string bytes = random_bytes(16);
  bytes[6] = static_cast<char>((static_cast<unsigned char>(bytes[6]) & 0x0FU) | 0x40U);
  bytes[8] = static_cast<char>((static_cast<unsigned char>(bytes[8]) & 0x3FU) | 0x80U);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[static_cast<unsigned char>(bytes[i]) >> 4U];
    text += kDigits[static_cast<unsigned char>(bytes[i]) & 15U];
  }
  return text;
}

bool equal_secrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string sha256(std::string_view bytes) {
  std::string digest(kHalf, '\0');
  unsigned int size = 0;
  require(EVP_Digest(bytes.data(), bytes.size(), bytes_of(digest), &size, EVP_sha256(), nullptr) == 1, "SHA-256");
  return digest;
}

struct SigningKey::Key {
  KeyPointer key;
};

SigningKey::SigningKey(std::unique_ptr<Key> key) : key_(std::move(key)) {
  std::string der(static_cast<std::size_t>(i2d_PUBKEY(key_->key.get(), nullptr)), '\0');
  unsigned char* at = bytes_of(der);
  i2d_PUBKEY(key_->key.get(), &at);
  id_ = encode_base64url(sha256(der));
}

SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;
SigningKey::~SigningKey() = default;

SigningKey SigningKey::generate() {
  KeyPointer key(EVP_EC_gen("P-256"));
  require(key != nullptr, "making a key");
  return SigningKey(std::make_unique<Key>(Key{std::move(key)}));
}

Result<SigningKey> SigningKey::from_pem(std::string_view pem) {
  const BioPointer input(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  // An empty password instead of a question on the terminal.
  const auto no_password = [](char*, int, int, void*) { return 0; };
  KeyPointer key(PEM_read_bio_PrivateKey(input.get(), nullptr, no_password, nullptr));
  if (key == nullptr) return failure("not a private key in PEM");
  if (!is_p256(key.get())) return failure("not a P-256 key: tokens are signed by ES256");
  return SigningKey(std::make_unique<Key>(Key{std::move(key)}));
}

std::string SigningKey::pem() const {
  const BioPointer output(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PKCS8PrivateKey(output.get(), key_->key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "writing a key");
  char* data = nullptr;
  const long size = BIO_get_mem_data(output.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string SigningKey::coordinate(const char* name) const {
  BIGNUM* number = nullptr;
  require(EVP_PKEY_get_bn_param(key_->key.get(), name, &number) == 1, "reading a key");
  const std::unique_ptr<BIGNUM, Freed<BIGNUM, BN_free>> owned(number);
  std::string bytes(kHalf, '\0');
  BN_bn2binpad(number, bytes_of(bytes), kHalf);
  return bytes;
}

std::string SigningKey::x() const { return coordinate(OSSL_PKEY_PARAM_EC_PUB_X); }
std::string SigningKey::y() const { return coordinate(OSSL_PKEY_PARAM_EC_PUB_Y); }

std::string SigningKey::sign(std::string_view message) const {
  const DigestContext context(EVP_MD_CTX_new());
  require(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->key.get()) == 1, "signing");
  std::size_t size = 0;
  EVP_DigestSign(context.get(), nullptr, &size, bytes_of(message), message.size());
  std::string der(size, '\0');
  require(EVP_DigestSign(context.get(), bytes_of(der), &size, bytes_of(message), message.size()) == 1, "signing");
  der.resize(size);
  return to_raw(der);
}

bool SigningKey::verify(std::string_view message, std::string_view signature) const {
  if (signature.size() != 2 * kHalf) return false;
  const std::string der = to_der(signature);
  const DigestContext context(EVP_MD_CTX_new());
  require(EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->key.get()) == 1, "verifying");
  return EVP_DigestVerify(context.get(), bytes_of(der), der.size(), bytes_of(message), message.size()) == 1;
}

}  // namespace loadline::net
