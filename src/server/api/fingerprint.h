#pragma once

#include <string>
#include <string_view>

namespace loadline::api {

/// 32 hexadecimal digits that stand for a text: the same for the same text in every process, as caches on clients'
/// disks need it. It is not collision-resistant against an attacker.
std::string fingerprint(std::string_view text);

}  // namespace loadline::api
