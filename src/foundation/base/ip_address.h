#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loadline {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< of IPv4 the first four
  bool is_v4 = false;

  /// An IPv4 address in the form of an IPv6 one: "::ffff:10.0.0.1".
  [[nodiscard]] bool is_mapped() const;
};

/// Whether "010.0.0.1" is 10.0.0.1, as it was for Go before 1.17 and still is in Kubernetes' ParseIPSloppy.
enum class LeadingZeros : std::uint8_t { kRefused, kTaken };

/// "10.9.8.7", "2001:db8::ffff", "::ffff:10.9.8.7"; without zones.
std::optional<IpAddress> parse_ip(std::string_view text, LeadingZeros zeros);

struct IpRange {
  IpAddress address;
  int length = 0;  ///< of the prefix in bits: at most 32 or 128
};

/// "10.9.8.0/24". Leading zeros are taken, and bits behind the prefix may be set.
std::optional<IpRange> parse_cidr(std::string_view text);

}  // namespace loadline
