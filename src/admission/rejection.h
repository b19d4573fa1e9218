#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::admission {

/// Which admission step refused an object.
enum class Plugin : std::uint8_t { kLimitRanger, kPriority, kValidation, kResourceQuota };

/// Why an object is refused: the step, the policy objects that it broke, and the answer's text.
struct Rejection {
  Plugin plugin = Plugin::kLimitRanger;
  std::vector<std::string> policies;  ///< names of the quotas or priority classes concerned, in the message's order
  std::vector<std::string> details;   ///< one complaint each, upstream's words
  /// The whole answer: `pods "web-0" is forbidden: exceeded quota: team-a, requested: cpu=1, used: cpu=2, limited:
  /// cpu=2`.
  std::string message;
};

/// "LimitRanger", "Priority", "Validation", "ResourceQuota".
[[nodiscard]] std::string_view plugin_name(Plugin plugin);

}  // namespace loadline::admission
