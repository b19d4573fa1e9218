#include "app/cli/input_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/kube/config/scheduler_configuration_writer.h"

namespace loadline::cli {
namespace {

using kube::SchedulerConfiguration;
using kube::SchedulerProfile;

constexpr std::string_view kKind = "KubeSchedulerConfiguration";
constexpr std::string_view kSubject = "KubeSchedulerConfiguration in ConfigMap ";

std::string subject_of(const SchedulerConfiguration& configuration) {
  return configuration.config_map ? std::string(kSubject) + configuration.config_map->to_string() : std::string(kKind);
}

Diagnostic warning(const SchedulerConfiguration& configuration, const SourcePosition& at, std::string message,
                   std::string hint) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kWarning;
  diagnostic.at = at;
  diagnostic.subject = subject_of(configuration);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

std::string hint_to_name_it(const ConfigurationRights& rights) {
  std::string hint = "pass the configuration with --config";
  if (rights.may_be_trusted) hint += ", or trust all that the input says, with --trust-input-configuration";
  return hint;
}

bool is_of_cluster(const SchedulerConfiguration& configuration) {
  return configuration.config_map && configuration.config_map->is_of_cluster;
}

/// As `up` has them: of several that define one name the oldest counts, by name among equals.
void sort_by_age(std::vector<SchedulerConfiguration>& configurations) {
  const auto is_before = [](const SchedulerConfiguration& a, const SchedulerConfiguration& b) {
    if (!a.config_map || !b.config_map) return !a.config_map && b.config_map;
    return std::tie(a.config_map->created, a.config_map->name_space, a.config_map->name) <
           std::tie(b.config_map->created, b.config_map->name_space, b.config_map->name);
  };
  std::ranges::stable_sort(configurations, is_before);
}

/// One choice among profiles.
class ProfileChoice {
 public:
  ProfileChoice(const ConfigurationRights& rights, Diagnostics& diagnostics)
      : rights_(rights), diagnostics_(diagnostics) {}

  void run(std::vector<SchedulerConfiguration>& configurations) {
    sort_by_age(configurations);
    for (SchedulerConfiguration& configuration : configurations) {
      const auto is_left_out = [&](const SchedulerProfile& profile) { return leaves_out(configuration, profile); };
      std::erase_if(configuration.profiles, is_left_out);
      if (!rights_.is_trusted) distrust(configuration, rights_, diagnostics_);
    }
    std::erase_if(configurations, [](const SchedulerConfiguration& each) { return each.profiles.empty(); });
  }

 private:
  bool leaves_out(const SchedulerConfiguration& configuration, const SchedulerProfile& profile) {
    if (!configuration.config_map) {
      owners_.try_emplace(profile.scheduler_name, "");
      return false;
    }
    return is_unasked_default(configuration, profile) || is_second(configuration, profile) ||
           lacks_plugin(configuration, profile);
  }

  bool is_unasked_default(const SchedulerConfiguration& configuration, const SchedulerProfile& profile) {
    if (rights_.scope.replaces_default || profile.scheduler_name != kube::kDefaultScheduler) return false;
    if (!kube::decides_as_default(configuration, profile)) {
      say(configuration, profile, "is left out: a ConfigMap does not replace it",
          "--replace-default-scheduler says that it does; or pass the configuration with --config");
    }
    return true;
  }

  bool is_second(const SchedulerConfiguration& configuration, const SchedulerProfile& profile) {
    const auto [first, is_first] =
        owners_.try_emplace(profile.scheduler_name, "ConfigMap " + configuration.config_map->to_string());
    if (is_first) return false;
    const std::string by = first->second.empty() ? "a configuration of the input" : first->second;
    say(configuration, profile, fmt::format("is left out: {} defines it", by),
        "pass the configuration that counts with --config");
    return true;
  }

  /// Of another input, that is an error, and found later.
  bool lacks_plugin(const SchedulerConfiguration& configuration, const SchedulerProfile& profile) {
    if (!is_of_cluster(configuration) || !rights_.has_looked_for_plugins) return false;
    SchedulerConfiguration alone;
    alone.profiles = {profile};
    Diagnostics unknown = kube::unknown_plugins(alone, rights_.plugins);
    for (Diagnostic& each : unknown) {
      each.severity = Severity::kWarning;
      each.message += fmt::format(", so the profile \"{}\" is left out", profile.scheduler_name);
    }
    const bool is_left_out = !unknown.empty();
    std::ranges::move(unknown, std::back_inserter(diagnostics_));
    return is_left_out;
  }

  void say(const SchedulerConfiguration& configuration, const SchedulerProfile& profile, std::string_view what,
           std::string hint) {
    diagnostics_.push_back(warning(configuration, profile.source,
                                   fmt::format("the profile \"{}\" {}", profile.scheduler_name, what),
                                   std::move(hint)));
  }

  const ConfigurationRights& rights_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string, std::less<>> owners_;  // by schedulerName; empty: a document of its own
};

/// Plugins that are there and that the profile would have run, an error or, in a cluster's ConfigMap, a warning each.
bool names_plugin(const SchedulerConfiguration& configuration, const SchedulerProfile& profile,
                  const ConfigurationRights& rights, Diagnostics& diagnostics) {
  bool any = false;
  for (const kube::PluginMention& mention : profile.out_of_tree) {
    if (std::ranges::find(rights.plugins, mention.name) == rights.plugins.end()) continue;
    Diagnostic told =
        warning(configuration, mention.at,
                fmt::format("the plugin \"{}\" is run for a configuration that --config names only", mention.name),
                hint_to_name_it(rights));
    if (is_of_cluster(configuration)) {
      told.message += fmt::format(", so the profile \"{}\" is left out", profile.scheduler_name);
    } else {
      told.severity = Severity::kError;
    }
    told.path = mention.path;
    diagnostics.push_back(std::move(told));
    any = true;
  }
  return any;
}

}  // namespace

void silence_extenders(SchedulerConfiguration& configuration) {
  configuration.extenders.clear();
  for (SchedulerProfile& profile : configuration.profiles) {
    std::vector<kube::Extender> silent;
    for (kube::Extender& extender : profile.extenders) {
      if (extender.managed_resources.empty()) continue;
      silent.emplace_back().managed_resources = std::move(extender.managed_resources);
    }
    profile.extenders = std::move(silent);
  }
}

bool is_about_configuration(const Diagnostic& diagnostic) { return diagnostic.subject.starts_with(kSubject); }

void tolerate_faulty_configurations(Diagnostics& diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (is_about_configuration(diagnostic)) diagnostic.severity = Severity::kWarning;
  }
}

void choose_profiles(std::vector<SchedulerConfiguration>& configurations, const ConfigurationRights& rights,
                     Diagnostics& diagnostics) {
  ProfileChoice(rights, diagnostics).run(configurations);
}

void distrust(SchedulerConfiguration& configuration, const ConfigurationRights& rights, Diagnostics& diagnostics) {
  std::erase_if(configuration.profiles, [&](const SchedulerProfile& profile) {
    return names_plugin(configuration, profile, rights, diagnostics);
  });
  if (!configuration.extenders.empty() && !configuration.profiles.empty() && rights.tells_of_extenders) {
    Diagnostic told = warning(
        configuration, configuration.extenders_at,
        fmt::format("are not called ({}): the input names them, not you", configuration.extenders.front().url_prefix),
        hint_to_name_it(rights));
    told.path = "extenders";
    diagnostics.push_back(std::move(told));
  }
  silence_extenders(configuration);
}

}  // namespace loadline::cli
