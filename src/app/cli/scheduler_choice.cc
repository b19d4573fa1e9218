#include "app/cli/scheduler_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace loadline::cli {
namespace {

using kube::SchedulerConfiguration;
using kube::SchedulerProfile;

bool answers_to(const SchedulerConfiguration& configuration, const std::string& name) {
  return std::ranges::any_of(configuration.profiles,
                             [&](const SchedulerProfile& profile) { return profile.scheduler_name == name; });
}

}  // namespace

Result<SchedulerConfiguration> combined_configuration(std::vector<SchedulerConfiguration> found) {
  if (found.empty()) return SchedulerConfiguration{};
  SchedulerConfiguration combined;
  combined.profiles.clear();
  // What a ConfigMap says beside its profiles is about these alone.
  const bool is_whole = !found.front().config_map;
  if (is_whole) combined = std::move(found.front());
  for (std::size_t i = is_whole ? 1 : 0; i < found.size(); ++i) {
    for (SchedulerProfile& profile : found[i].profiles) {
      if (answers_to(combined, profile.scheduler_name)) {
        return failure(
            fmt::format("the input holds two scheduler configurations that define the profile \"{}\"; "
                        "pass the one that counts with --config",
                        profile.scheduler_name));
      }
      if (!profile.percentage_of_nodes_to_score) {
        profile.percentage_of_nodes_to_score = found[i].percentage_of_nodes_to_score;
      }
      combined.profiles.push_back(std::move(profile));
    }
  }
  const SchedulerProfile own;
  if (!answers_to(combined, own.scheduler_name)) combined.profiles.push_back(own);
  return combined;
}

const kube::Extender* first_extender(const SchedulerConfiguration& configuration) {
  for (const SchedulerProfile& profile : configuration.profiles) {
    const auto called =
        std::ranges::find_if(profile.extenders, [](const auto& each) { return !each.url_prefix.empty(); });
    if (called != profile.extenders.end()) return &*called;
  }
  return nullptr;
}

}  // namespace loadline::cli
