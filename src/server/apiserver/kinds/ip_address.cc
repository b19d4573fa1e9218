#include "server/apiserver/kinds/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "foundation/base/text.h"

namespace loadline::apiserver {
namespace {

using Bytes = std::array<unsigned char, 16>;

constexpr std::size_t kLongestIpAddress = 45;

std::optional<Bytes> parse(int family, std::string_view text) {
  if (text.empty() || text.size() > kLongestIpAddress || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string terminated(text);
  Bytes bytes{};
  if (inet_pton(family, terminated.c_str(), bytes.data()) != 1) return std::nullopt;
  return bytes;
}

/// The parts of an IPv4 address without zeros in front: "010.0.0.1" is "10.0.0.1".
std::string without_leading_zeros(std::string_view text) {
  std::string plain;
  for (const std::string_view part : split(text, ".")) {
    const std::size_t first = part.find_first_not_of('0');
    if (!plain.empty()) plain += '.';
    plain += part.empty() ? "" : first == std::string_view::npos ? "0" : part.substr(first);
  }
  return plain;
}

bool is_mapped(const Bytes& bytes) {
  constexpr std::array<unsigned char, 12> kPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(bytes.data(), kPrefix.data(), kPrefix.size()) == 0;
}

struct Cidr {
  IpFamily family = IpFamily::kNone;
  int length = 0;
  std::string_view address;
  bool has_zeros = false;  ///< "10.0.0.0/08"
};

std::optional<Cidr> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  Cidr cidr;
  cidr.address = text.substr(0, slash);
  cidr.family = family_of_address(cidr.address);
  const std::string_view length = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), cidr.length);
  const int most = cidr.family == IpFamily::kV4 ? 32 : 128;
  const bool is_number = error == std::errc{} && end == length.data() + length.size() && length.front() != '-';
  if (!is_number || cidr.length > most || cidr.family == IpFamily::kNone) return std::nullopt;
  cidr.has_zeros = length.size() > 1 && length.front() == '0';
  return cidr;
}

/// Are all bits behind the prefix zero?
bool is_network(const Cidr& cidr) {
  const int family = cidr.family == IpFamily::kV4 ? AF_INET : AF_INET6;
  const std::optional<Bytes> bytes = parse(family, cidr.address);
  if (!bytes) return true;
  const int bits = cidr.family == IpFamily::kV4 ? 32 : 128;
  for (int bit = cidr.length; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> static_cast<unsigned>(bit % 8);
    if ((static_cast<unsigned>((*bytes)[static_cast<std::size_t>(bit / 8)]) & mask) != 0) return false;
  }
  return true;
}

}  // namespace

IpFamily family_of_address(std::string_view text) {
  if (text.size() > kLongestIpAddress) return IpFamily::kNone;
  if (parse(AF_INET, text) || parse(AF_INET, without_leading_zeros(text))) return IpFamily::kV4;
  const std::optional<Bytes> bytes = parse(AF_INET6, text);
  if (!bytes) return IpFamily::kNone;
  return is_mapped(*bytes) ? IpFamily::kV4 : IpFamily::kV6;
}

IpReach reach_of_address(std::string_view text) {
  if (family_of_address(text) == IpFamily::kNone) return IpReach::kNone;
  std::optional<Bytes> bytes = parse(AF_INET, without_leading_zeros(text));
  bool is_v4 = bytes.has_value();
  if (!is_v4) {
    bytes = parse(AF_INET6, text);
    if (!bytes) return IpReach::kNone;
    if (is_mapped(*bytes)) {
      std::copy(bytes->begin() + 12, bytes->end(), bytes->begin());
      is_v4 = true;
    }
  }
  const Bytes& ip = *bytes;
  if (is_v4) {
    if (ip[0] == 0 && ip[1] == 0 && ip[2] == 0 && ip[3] == 0) return IpReach::kUnspecified;
    if (ip[0] == 127) return IpReach::kLoopback;
    if (ip[0] == 169 && ip[1] == 254) return IpReach::kLinkLocal;
    return ip[0] == 224 && ip[1] == 0 && ip[2] == 0 ? IpReach::kLinkLocalMulticast : IpReach::kElsewhere;
  }
  const bool is_nearly_zero = std::all_of(ip.begin(), ip.end() - 1, [](unsigned char byte) { return byte == 0; });
  if (is_nearly_zero && ip[15] == 0) return IpReach::kUnspecified;
  if (is_nearly_zero && ip[15] == 1) return IpReach::kLoopback;
  if (ip[0] == 0xfe && (ip[1] & 0xc0U) == 0x80U) return IpReach::kLinkLocal;
  return ip[0] == 0xff && (ip[1] & 0x0fU) == 0x02U ? IpReach::kLinkLocalMulticast : IpReach::kElsewhere;
}

std::vector<std::string> address_problems(std::string_view text) {
  if (family_of_address(text) == IpFamily::kNone) {
    return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  }
  if (parse(AF_INET, text)) return {};
  const std::optional<Bytes> bytes = parse(AF_INET6, text);
  if (!bytes) return {"must not have leading 0s"};
  if (is_mapped(*bytes)) return {"must not be an IPv4-mapped IPv6 address"};
  return {};
}

std::vector<std::string> cidr_problems(std::string_view text) {
  const std::optional<Cidr> cidr = parse_cidr(text);
  if (!cidr) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  const std::vector<std::string> of_address = address_problems(cidr->address);
  if (!of_address.empty() && of_address.front() != "must not have leading 0s") {
    return {"must not have an IPv4-mapped IPv6 address"};
  }
  if (!of_address.empty() || cidr->has_zeros) return {"must not have leading 0s in IP or prefix length"};
  if (!is_network(*cidr)) return {"must not have bits set beyond the prefix length"};
  return {};
}

IpFamily family_of_cidr(std::string_view text) {
  const std::optional<Cidr> cidr = parse_cidr(text);
  return cidr ? cidr->family : IpFamily::kNone;
}

}  // namespace loadline::apiserver
