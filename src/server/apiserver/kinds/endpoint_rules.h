#pragma once

#include <string>
#include <string_view>

#include "objects/kube/scalars.h"

namespace loadline::apiserver {

/// ValidateEndpointIP: an address that others can send to. Not unspecified, not the machine's own.
void check_reachable_address(kube::FieldErrors& errors, std::string_view address, const std::string& path);

/// TCP, UDP or SCTP.
void check_protocol(kube::FieldErrors& errors, std::string_view protocol, const std::string& path);

}  // namespace loadline::apiserver
