#include "server/net/ssh_key.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "foundation/base/base64.h"
#include "server/net/openssl_pointers.h"

namespace loadline::net {
namespace {

/// A string as SSH's wire format has it: its length in four bytes, then itself.
std::string ssh_string(std::string_view text) {
  std::string written;
  for (const int shift : {24, 16, 8, 0}) written += static_cast<char>((text.size() >> shift) & 0xff);
  return written.append(text);
}

}  // namespace

Result<SshKey> make_ssh_key() {
  const KeyPointer key(EVP_EC_gen("P-521"));
  const BioPointer memory(BIO_new(BIO_s_mem()));
  std::array<unsigned char, 133> point{};  // 04, then two coordinates of 66 bytes
  std::size_t length = 0;
  if (key == nullptr || memory == nullptr ||
      PEM_write_bio_PrivateKey_traditional(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      EVP_PKEY_get_octet_string_param(key.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size(), &length) != 1) {
    return failure("cannot make an SSH key");
  }
  char* pem = nullptr;
  const long pem_length = BIO_get_mem_data(memory.get(), &pem);
  const std::string_view public_point(reinterpret_cast<const char*>(point.data()), length);
  const std::string blob = ssh_string("ecdsa-sha2-nistp521") + ssh_string("nistp521") + ssh_string(public_point);
  return SshKey{{pem, static_cast<std::size_t>(pem_length)}, "ecdsa-sha2-nistp521 " + encode_base64(blob) + "\n"};
}

}  // namespace loadline::net
