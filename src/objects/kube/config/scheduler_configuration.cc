#include "objects/kube/config/scheduler_configuration.h"

#include <algorithm>
#include <utility>

namespace loadline::kube {

void answer_to(std::string_view scheduler_name, SchedulerConfiguration& configuration) {
  auto& profiles = configuration.profiles;
  if (std::ranges::find(profiles, scheduler_name, &SchedulerProfile::scheduler_name) != profiles.end()) return;
  SchedulerProfile profile;
  const auto own = std::ranges::find(profiles, profile.scheduler_name, &SchedulerProfile::scheduler_name);
  if (own != profiles.end()) profile = *own;
  profile.scheduler_name = scheduler_name;
  profiles.push_back(std::move(profile));
}

}  // namespace loadline::kube
