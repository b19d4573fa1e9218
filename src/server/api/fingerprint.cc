#include "server/api/fingerprint.h"

#include <fmt/format.h>

#include <cstdint>

namespace loadline::api {
namespace {

/// The finalizer of MurmurHash3: every bit of the input moves every bit of the output.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 33U)) * 0xff51afd7ed558ccdULL;
  bits = (bits ^ (bits >> 33U)) * 0xc4ceb9fe1a85ec53ULL;
  return bits ^ (bits >> 33U);
}

}  // namespace

std::string fingerprint(std::string_view text) {
  // Two FNV-1a hashes with different starts, the second of them over mixed bytes.
  std::uint64_t first = 0xcbf29ce484222325ULL;
  std::uint64_t second = mixed(text.size() + 1);
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    first = (first ^ byte) * 0x100000001b3ULL;
    second = (second ^ mixed(byte + 1ULL)) * 0x9e3779b97f4a7c15ULL;
    second ^= second >> 29U;
  }
  return fmt::format("{:016X}{:016X}", mixed(first), mixed(second));
}

}  // namespace loadline::api
