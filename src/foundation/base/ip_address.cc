#include "foundation/base/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "foundation/base/text.h"

namespace loadline {
namespace {

constexpr std::size_t kLongestIpAddress = 45;

/// With the parts of an IPv4 address, alone or at the end, as inet_pton wants them: "::ffff:010.0.0.1" is
/// "::ffff:10.0.0.1".
std::string without_leading_zeros(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::size_t begin = colon == std::string_view::npos ? 0 : colon + 1;
  if (text.find('.', begin) == std::string_view::npos) return std::string(text);
  std::string plain(text.substr(0, begin));
  std::string_view separator;
  for (const std::string_view part : split(text.substr(begin), ".")) {
    const std::size_t first = std::min(part.find_first_not_of('0'), part.size());
    plain += separator;
    plain += first > 0 && first == part.size() ? "0" : part.substr(first);
    separator = ".";
  }
  return plain;
}

}  // namespace

bool IpAddress::is_mapped() const {
  constexpr std::array<std::uint8_t, 12> kPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return !is_v4 && std::equal(kPrefix.begin(), kPrefix.end(), bytes.begin());
}

std::optional<IpAddress> parse_ip(std::string_view text, LeadingZeros zeros) {
  if (text.size() > kLongestIpAddress || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string plain = zeros == LeadingZeros::kTaken ? without_leading_zeros(text) : std::string(text);
  IpAddress address;
  address.is_v4 = text.find(':') == std::string_view::npos;
  if (inet_pton(address.is_v4 ? AF_INET : AF_INET6, plain.c_str(), address.bytes.data()) != 1) return std::nullopt;
  return address;
}

std::optional<IpRange> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<IpAddress> address = parse_ip(text.substr(0, slash), LeadingZeros::kTaken);
  if (!address) return std::nullopt;
  const std::string_view length = text.substr(slash + 1);
  std::uint32_t bits = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (error != std::errc() || end != length.data() + length.size() || bits > (address->is_v4 ? 32U : 128U)) {
    return std::nullopt;
  }
  return IpRange{*address, static_cast<int>(bits)};
}

}  // namespace loadline
