#pragma once

#include <string>
#include <string_view>

namespace loadline::api {

/// 32 hexadecimal digits that stand for a text: the same for the same text in every process, as caches on clients'
/// disks need it. Not meant to withstand who looks for two texts with one fingerprint.
std::string fingerprint(std::string_view text);

}  // namespace loadline::api
