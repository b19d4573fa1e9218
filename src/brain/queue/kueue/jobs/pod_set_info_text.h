#pragma once

#include <string>
#include <string_view>

namespace loadline::queue::kueue {

// What is said if a job cannot start with what its workload was given, in Kueue's words.
// Source: Kueue v0.19.2, pkg/podset, pkg/util/maps.

/// Two who say something of one key.
struct Conflict {
  std::string_view field;
  std::string_view key;
  std::string_view value;
  std::string_view other;
};
[[nodiscard]] std::string conflict_text(const Conflict& conflict);
[[nodiscard]] std::string flavor_gone_text(std::string_view flavor);
/// What is wrong with what an admission check says.
[[nodiscard]] std::string check_text(std::string_view check, std::string_view problem);

}  // namespace loadline::queue::kueue
