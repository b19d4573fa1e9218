#include "app/cli/cluster_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "objects/kube/config/out_of_tree_plugins.h"

namespace loadline::cli {
namespace {

using kube::SchedulerConfiguration;
using kube::SchedulerProfile;

constexpr std::string_view kSubject = "KubeSchedulerConfiguration in ConfigMap ";

Diagnostic warning(const SchedulerProfile& profile, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kWarning;
  diagnostic.at = profile.source;
  diagnostic.subject = "KubeSchedulerConfiguration";
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

Diagnostics unknown_plugins_of(const SchedulerProfile& profile, std::span<const std::string_view> provided) {
  SchedulerConfiguration alone;
  alone.profiles = {profile};
  return kube::unknown_plugins(alone, provided);
}

}  // namespace

bool is_about_configuration(const Diagnostic& diagnostic) { return diagnostic.subject.starts_with(kSubject); }

void tolerate_faulty_configurations(Diagnostics& diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (is_about_configuration(diagnostic)) diagnostic.severity = Severity::kWarning;
  }
}

void keep_sound_profiles(std::vector<SchedulerConfiguration>& configurations,
                         std::span<const std::string_view> provided, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (SchedulerConfiguration& configuration : configurations) {
    const auto is_left_out = [&](const SchedulerProfile& profile) {
      Diagnostics unknown = unknown_plugins_of(profile, provided);
      if (!unknown.empty()) {
        for (Diagnostic& each : unknown) {
          each.severity = Severity::kWarning;
          each.message += fmt::format(", so the profile \"{}\" is left out", profile.scheduler_name);
        }
        std::ranges::move(unknown, std::back_inserter(diagnostics));
        return true;
      }
      if (names.insert(profile.scheduler_name).second) return false;
      diagnostics.push_back(warning(profile,
                                    fmt::format("the profile \"{}\" is left out: another ConfigMap of the cluster "
                                                "defines it",
                                                profile.scheduler_name),
                                    "pass the configuration that counts with --config"));
      return true;
    };
    std::erase_if(configuration.profiles, is_left_out);
    const bool has_extenders = !configuration.extenders.empty();
    if (has_extenders && !configuration.profiles.empty()) {
      diagnostics.push_back(warning(configuration.profiles.front(),
                                    "its extenders are not called, as a ConfigMap of the cluster names them",
                                    "pass the configuration with --config to have them called"));
    }
    configuration.extenders.clear();
    for (SchedulerProfile& profile : configuration.profiles) {
      // Resources that NodeResourcesFit is to leave to them stay left to them.
      for (kube::Extender& extender : profile.extenders) {
        kube::Extender silent;
        silent.managed_resources = std::move(extender.managed_resources);
        extender = std::move(silent);
      }
    }
  }
  std::erase_if(configurations, [](const SchedulerConfiguration& each) { return each.profiles.empty(); });
}

}  // namespace loadline::cli
