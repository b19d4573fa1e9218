#include "server/apiserver/kinds/endpoint_rules.h"

#include <fmt/format.h>

#include "objects/kube/decoder.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {

using document::Value;

void check_reachable_address(kube::FieldErrors& errors, std::string_view address, const std::string& path) {
  const auto refuse = [&](std::string_view why) { errors.push_back(invalid_field(path, Value(address), why)); };
  switch (reach_of_address(address)) {
    case IpReach::kNone:
      return refuse("must be a valid IP address");
    case IpReach::kUnspecified:
      return refuse(fmt::format("may not be unspecified ({})", address));
    case IpReach::kLoopback:
      return refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
    case IpReach::kLinkLocal:
      return refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    case IpReach::kLinkLocalMulticast:
      return refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    case IpReach::kElsewhere:
      return;
  }
}

void check_protocol(kube::FieldErrors& errors, std::string_view protocol, const std::string& path) {
  if (protocol.empty()) {
    errors.push_back(required_field(path));
  } else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    errors.push_back(
        {path,
         fmt::format("Unsupported value: {}: supported values: \"SCTP\", \"TCP\", \"UDP\"", kube::quoted(protocol)),
         {}});
  }
}

}  // namespace loadline::apiserver
