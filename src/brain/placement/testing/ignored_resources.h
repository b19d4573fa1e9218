#pragma once

#include <array>
#include <ostream>
#include <string_view>

#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement::testing {

/// A resource that pods of a test request in vain: no node offers it.
inline constexpr const char* kFpga = "example.com/fpga";

/// How a profile leaves it out.
enum class Leaving {
  kIgnoredResource,
  kIgnoredGroup,
  kManagedByExtender,
  kNoFilter,  ///< the profile does not filter by resources at all
};

inline constexpr std::array kWaysToLeave = {Leaving::kIgnoredResource, Leaving::kIgnoredGroup,
                                            Leaving::kManagedByExtender, Leaving::kNoFilter};

inline void leave_out(kube::SchedulerProfile& profile, Leaving how) {
  switch (how) {
    case Leaving::kIgnoredResource:
      profile.args.fit.ignored_resources = {kFpga};
      break;
    case Leaving::kIgnoredGroup:
      profile.args.fit.ignored_resource_groups = {"example.com"};
      break;
    case Leaving::kManagedByExtender:
      profile.extenders.emplace_back().managed_resources = {{kFpga, true}};
      break;
    case Leaving::kNoFilter:
      profile.plugins.multi_point.disabled.push_back({"NodeResourcesFit"});
      break;
  }
}

inline std::ostream& operator<<(std::ostream& out, Leaving how) {
  constexpr std::array<std::string_view, kWaysToLeave.size()> kNames = {"IgnoredResource", "IgnoredGroup",
                                                                        "ManagedByExtender", "NoFilter"};
  return out << kNames[static_cast<std::size_t>(how)];
}

}  // namespace loadline::placement::testing
