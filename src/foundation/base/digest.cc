#include "foundation/base/digest.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace loadline {

std::string sha1(std::string_view text) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return {digest.begin(), digest.end()};
}

std::string sha1_hex(std::string_view text) {
  std::string hex;
  for (const char byte : sha1(text)) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

}  // namespace loadline
