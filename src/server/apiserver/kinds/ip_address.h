#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::apiserver {

enum class IpFamily : std::uint8_t { kNone, kV4, kV6 };

/// kNone: no address at all. Leading zeros in an IPv4 address are accepted.
IpFamily family_of_address(std::string_view text);

/// The kind of target that an address leads to.
enum class IpReach : std::uint8_t { kNone, kUnspecified, kLoopback, kLinkLocal, kLinkLocalMulticast, kElsewhere };
IpReach reach_of_address(std::string_view text);

/// What is wrong with an address in a field that was there before addresses were checked strictly.
/// Source: k8s.io/apimachinery pkg/util/validation, v1.36, feature StrictIPCIDRValidation on.
std::vector<std::string> address_problems(std::string_view text);

/// The same for "10.9.8.0/24".
std::vector<std::string> cidr_problems(std::string_view text);
IpFamily family_of_cidr(std::string_view text);

}  // namespace loadline::apiserver
