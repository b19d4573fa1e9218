#include "server/apiserver/kinds/ip_address.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "foundation/base/ip_address.h"

namespace loadline::apiserver {
namespace {

IpFamily family_of(const IpAddress& address) {
  return address.is_v4 || address.is_mapped() ? IpFamily::kV4 : IpFamily::kV6;
}

/// Are all bits behind the prefix zero?
bool is_network(const IpRange& range) {
  const int bits = range.address.is_v4 ? 32 : 128;
  for (int bit = range.length; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> static_cast<unsigned>(bit % 8);
    if ((range.address.bytes[static_cast<std::size_t>(bit / 8)] & mask) != 0) return false;
  }
  return true;
}

bool has_leading_zero(std::string_view number) { return number.size() > 1 && number.front() == '0'; }

}  // namespace

IpFamily family_of_address(std::string_view text) {
  const std::optional<IpAddress> address = parse_ip(text, LeadingZeros::kTaken);
  return address ? family_of(*address) : IpFamily::kNone;
}

IpReach reach_of_address(std::string_view text) {
  const std::optional<IpAddress> address = parse_ip(text, LeadingZeros::kTaken);
  if (!address) return IpReach::kNone;
  std::array<std::uint8_t, 16> ip = address->bytes;
  if (address->is_mapped()) std::copy(ip.begin() + 12, ip.end(), ip.begin());
  if (family_of(*address) == IpFamily::kV4) {
    if (ip[0] == 0 && ip[1] == 0 && ip[2] == 0 && ip[3] == 0) return IpReach::kUnspecified;
    if (ip[0] == 127) return IpReach::kLoopback;
    if (ip[0] == 169 && ip[1] == 254) return IpReach::kLinkLocal;
    return ip[0] == 224 && ip[1] == 0 && ip[2] == 0 ? IpReach::kLinkLocalMulticast : IpReach::kElsewhere;
  }
  const bool is_nearly_zero = std::all_of(ip.begin(), ip.end() - 1, [](std::uint8_t byte) { return byte == 0; });
  if (is_nearly_zero && ip[15] == 0) return IpReach::kUnspecified;
  if (is_nearly_zero && ip[15] == 1) return IpReach::kLoopback;
  if (ip[0] == 0xfe && (ip[1] & 0xc0U) == 0x80U) return IpReach::kLinkLocal;
  return ip[0] == 0xff && (ip[1] & 0x0fU) == 0x02U ? IpReach::kLinkLocalMulticast : IpReach::kElsewhere;
}

std::vector<std::string> address_problems(std::string_view text) {
  if (!parse_ip(text, LeadingZeros::kTaken)) {
    return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  }
  const std::optional<IpAddress> address = parse_ip(text, LeadingZeros::kRefused);
  if (!address) return {"must not have leading 0s"};
  if (address->is_mapped()) return {"must not be an IPv4-mapped IPv6 address"};
  return {};
}

std::vector<std::string> cidr_problems(std::string_view text) {
  const std::optional<IpRange> range = parse_cidr(text);
  if (!range) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  if (range->address.is_mapped()) return {"must not have an IPv4-mapped IPv6 address"};
  const std::size_t slash = text.find('/');
  if (!parse_ip(text.substr(0, slash), LeadingZeros::kRefused) || has_leading_zero(text.substr(slash + 1))) {
    return {"must not have leading 0s in IP or prefix length"};
  }
  if (!is_network(*range)) return {"must not have bits set beyond the prefix length"};
  return {};
}

IpFamily family_of_cidr(std::string_view text) {
  const std::optional<IpRange> range = parse_cidr(text);
  return range ? family_of(range->address) : IpFamily::kNone;
}

}  // namespace loadline::apiserver
