#include "brain/placement/profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "brain/placement/plugin_list.h"
#include "objects/kube/config/plugin_names.h"

namespace loadline::placement {
namespace {

/// Seconds: longer than any sensible bindTimeoutSeconds, and in nanoseconds still within 64 bits.
constexpr std::int64_t kLongestBindTimeout = 1'000'000'000;

using Names = std::vector<kube::PluginReference>;

bool names(const Names& plugins, std::string_view name) {
  return std::any_of(plugins.begin(), plugins.end(), [&](const auto& plugin) { return plugin.name == name; });
}

std::array<const kube::PluginSet*, 13> all_sets(const kube::ProfilePlugins& plugins) {
  return {&plugins.pre_enqueue, &plugins.queue_sort, &plugins.pre_filter, &plugins.filter, &plugins.post_filter,
          &plugins.pre_score,   &plugins.score,      &plugins.reserve,    &plugins.permit, &plugins.pre_bind,
          &plugins.bind,        &plugins.post_bind,  &plugins.multi_point};
}

bool enables(const kube::ProfilePlugins& plugins, std::string_view name) {
  const auto sets = all_sets(plugins);
  return std::any_of(sets.begin(), sets.end(), [&](const auto* set) { return names(set->enabled, name); });
}

bool is_built_in(std::string_view name) {
  return std::find(std::begin(kube::kPluginNames), std::end(kube::kPluginNames), name) != std::end(kube::kPluginNames);
}

/// What a set says, to be asked by name: a set may be long.
struct SetIndex {
  explicit SetIndex(const kube::PluginSet& set) {
    for (const kube::PluginReference& reference : set.enabled) enabled[reference.name] = &reference;
    for (const kube::PluginReference& reference : set.disabled) disabled.insert(reference.name);
  }

  [[nodiscard]] bool disables(std::string_view name) const { return disabled.contains("*") || disabled.contains(name); }

  std::map<std::string_view, const kube::PluginReference*> enabled;  // the last of a name
  std::set<std::string_view> disabled;
};

/// The MultiPoint set: the defaults in their order, re-weighted or left out as configured, then what was added.
Names multi_point(PluginRegistry built_in, const kube::PluginSet& custom) {
  const SetIndex index(custom);
  Names merged;
  std::set<std::string_view> replaced;
  if (!index.disabled.contains("*")) {
    for (const RegistryEntry& entry : built_in) {
      if (index.disabled.contains(entry.name)) continue;
      const auto enabled = index.enabled.find(entry.name);
      if (enabled == index.enabled.end()) {
        merged.push_back({std::string(entry.name), entry.weight});
      } else {
        merged.push_back(*enabled->second);
        replaced.insert(entry.name);
      }
    }
  }
  for (const kube::PluginReference& enabled : custom.enabled) {
    if (!replaced.contains(enabled.name)) merged.push_back(enabled);
  }
  return merged;
}

/// Which plugins run at one point: those named for it that also come through MultiPoint, then MultiPoint's others, then
/// those named for it alone, among them those it disables before it enables them.
Result<std::vector<const Plugin*>> expand(Point point, std::string_view point_name, const kube::PluginSet& set,
                                          const Names& multi, const std::set<std::string_view>& in_multi,
                                          const std::map<std::string, const Plugin*, std::less<>>& known) {
  const SetIndex index(set);
  std::vector<const Plugin*> overriding, through_multi_point, own;
  std::set<const Plugin*> added;
  const auto add = [&](std::vector<const Plugin*>& list, const Plugin* plugin) -> Result<void> {
    if (!added.insert(plugin).second) {
      return failure("plugin \"" + std::string(plugin->name()) + "\" already registered as \"" +
                     std::string(point_name) + "Plugin\"");
    }
    list.push_back(plugin);
    return {};
  };
  for (const kube::PluginReference& reference : set.enabled) {
    const auto found = known.find(reference.name);
    if (found == known.end()) continue;  // a plugin without a part in deciding
    if (!found->second->points().has(point)) {
      return failure("plugin \"" + reference.name + "\" does not extend " + std::string(point_name) + "Plugin plugin");
    }
    const bool shared = in_multi.contains(reference.name) && !index.disables(reference.name);
    if (const Result<void> one = add(shared ? overriding : own, found->second); !one) {
      return tl::unexpected(one.error());
    }
  }
  for (const kube::PluginReference& reference : multi) {
    const auto found = known.find(reference.name);
    if (found == known.end() || !found->second->points().has(point)) continue;
    if (index.disables(reference.name) || index.enabled.contains(reference.name)) continue;
    if (const Result<void> one = add(through_multi_point, found->second); !one) {
      return tl::unexpected(one.error());
    }
  }
  overriding.insert(overriding.end(), through_multi_point.begin(), through_multi_point.end());
  overriding.insert(overriding.end(), own.begin(), own.end());
  return overriding;
}

std::int64_t weight_of(std::string_view name, const kube::PluginSet& score, const Names& multi) {
  for (const Names* list : {&score.enabled, &multi}) {
    for (const kube::PluginReference& reference : *list) {
      if (reference.name == name) return reference.weight == 0 ? 1 : reference.weight;
    }
  }
  return 1;
}

/// The weight of a plugin at MultiPoint that is there by default, and no part of the registry; 0: it is disabled.
std::int64_t weight_at_multi_point(std::string_view name, const kube::PluginSet& custom) {
  for (const kube::PluginReference& reference : custom.enabled) {
    if (reference.name == name) return reference.weight == 0 ? 1 : reference.weight;
  }
  return names(custom.disabled, "*") || names(custom.disabled, name) ? 0 : 1;
}

DomainScoring domain_scoring(const kube::SchedulerProfile& settings) {
  const kube::PluginSet& custom = settings.plugins.multi_point;
  DomainScoring scoring;
  scoring.heeds_topology = weight_at_multi_point("TopologyPlacementGenerator", custom) > 0;
  scoring.fit = weight_at_multi_point("NodeResourcesFit", custom);
  scoring.pods_count = weight_at_multi_point("PodGroupPodsCount", custom);
  scoring.resources = settings.args.fit.resources;
  return scoring;
}

/// What extenders account for replaces what NodeResourcesFit was told to ignore.
kube::PluginArgs with_ignored_resources(const kube::SchedulerProfile& settings) {
  std::vector<std::string> ignored;
  for (const kube::Extender& extender : settings.extenders) {
    for (const kube::ExtenderManagedResource& resource : extender.managed_resources) {
      if (resource.ignored_by_scheduler) ignored.push_back(resource.name);
    }
  }
  kube::PluginArgs args = settings.args;
  if (!ignored.empty()) args.fit.ignored_resources = std::move(ignored);
  return args;
}

}  // namespace

/// Source: buildExtenders.
Result<void> Profile::make_extenders(const kube::SchedulerProfile& settings) {
  if (extensions_.extenders == nullptr || settings.extenders.empty()) return {};
  if (extensions_.pods == nullptr || extensions_.nodes == nullptr) {
    return failure("extenders ask to see pods and nodes, and there are none to show");
  }
  for (const bool ignorable : {false, true}) {
    for (const kube::Extender& extender : settings.extenders) {
      if (extender.ignorable != ignorable) continue;
      Result<std::unique_ptr<Extender>> made = extensions_.extenders->make(extender);
      if (!made) return failure("extender \"" + extender.url_prefix + "\": " + made.error().message);
      extenders_.push_back(*std::move(made));
    }
  }
  return {};
}

bool Profile::extenders_look_at_nodes() const {
  return std::any_of(extenders_.begin(), extenders_.end(), [](const std::unique_ptr<Extender>& extender) {
    return !extender->settings().filter_verb.empty() || !extender->settings().prioritize_verb.empty();
  });
}

std::optional<std::int32_t> Profile::percentage_of_nodes_to_score() const {
  if (percentage_ || switches_.nodes_to_score == NodesToScore::kAll) return percentage_;
  return 0;
}

void Profile::set_switches(const Switches& switches) {
  switches_ = switches;
  for (const std::unique_ptr<Extender>& extender : extenders_) extender->heed(switches);
}

Result<Profile> Profile::make(PluginRegistry built_in, const kube::SchedulerConfiguration& configuration,
                              const kube::SchedulerProfile& settings, const Extensions& extensions) {
  Profile profile;
  profile.scheduler_name_ = settings.scheduler_name;
  profile.extensions_ = extensions;
  profile.preemption_ = settings.args.preemption;
  profile.domain_scoring_ = placement::domain_scoring(settings);
  profile.volume_bind_timeout_ =
      Duration::seconds(std::min(settings.args.volume_binding.bind_timeout_seconds, kLongestBindTimeout));
  profile.percentage_ = settings.percentage_of_nodes_to_score ? settings.percentage_of_nodes_to_score
                                                              : configuration.percentage_of_nodes_to_score;
  if (const Result<void> made = profile.make_extenders(settings); !made) return tl::unexpected(made.error());
  const kube::PluginArgs args = with_ignored_resources(settings);
  std::map<std::string, const Plugin*, std::less<>> known;
  for (const RegistryEntry& entry : built_in) {
    if (entry.make == nullptr) continue;
    profile.plugins_.push_back(entry.make(args));
    known.emplace(entry.name, profile.plugins_.back().get());
  }
  for (const std::shared_ptr<const PluginSource>& source : extensions.plugins) {
    if (!enables(settings.plugins, source->name())) continue;
    Result<std::unique_ptr<Plugin>> plugin = source->make(settings);
    if (!plugin) return failure("plugin \"" + std::string(source->name()) + "\": " + plugin.error().message);
    if (!known.emplace(source->name(), plugin->get()).second) {
      return failure("plugin \"" + std::string(source->name()) + "\" is there already");
    }
    profile.plugins_.push_back(*std::move(plugin));
  }
  for (const kube::PluginSet* set : all_sets(settings.plugins)) {
    for (const kube::PluginReference& reference : set->enabled) {
      if (known.contains(reference.name) || is_built_in(reference.name)) continue;
      return failure("plugin \"" + reference.name + "\" is not built in, and nothing else provides it");
    }
  }
  const kube::ProfilePlugins& sets = settings.plugins;
  const Names multi = multi_point(built_in, sets.multi_point);
  std::set<std::string_view> in_multi;
  for (const kube::PluginReference& reference : multi) in_multi.insert(reference.name);

  const auto assign = [&](std::vector<const Plugin*>& list, Point point, std::string_view point_name,
                          const kube::PluginSet& set) -> Result<void> {
    auto expanded = expand(point, point_name, set, multi, in_multi, known);
    if (!expanded) return tl::unexpected(expanded.error());
    list = std::move(*expanded);
    return {};
  };
  std::vector<const Plugin*> scores;
  for (const Result<void>& step : {
           assign(profile.pre_enqueue_, Point::kPreEnqueue, "PreEnqueue", sets.pre_enqueue),
           assign(profile.pre_filters_, Point::kPreFilter, "PreFilter", sets.pre_filter),
           assign(profile.filters_, Point::kFilter, "Filter", sets.filter),
           assign(profile.post_filters_, Point::kPostFilter, "PostFilter", sets.post_filter),
           assign(profile.pre_scores_, Point::kPreScore, "PreScore", sets.pre_score),
           assign(scores, Point::kScore, "Score", sets.score),
           assign(profile.reserves_, Point::kReserve, "Reserve", sets.reserve),
           assign(profile.permits_, Point::kPermit, "Permit", sets.permit),
       }) {
    if (!step) return failure("profile \"" + settings.scheduler_name + "\": " + step.error().message);
  }
  for (const Plugin* plugin : scores) {
    profile.scores_.push_back({plugin, weight_of(plugin->name(), sets.score, multi)});
  }
  for (const Plugin* plugin : profile.filters_) {
    const bool denied = !contains(profile.pre_filters_, plugin) && !plugin->without_pre_filter().empty();
    if (denied) profile.broken_filters_.push_back(plugin);
  }
  for (const Plugin* plugin : scores) {
    const bool denied = !contains(profile.pre_scores_, plugin) && !plugin->without_pre_score().empty();
    if (denied) profile.broken_scores_.push_back(plugin);
  }
  for (const Plugin* plugin : profile.post_filters_) {
    if (plugin->name() == "DefaultPreemption") profile.preemptor_ = plugin;
  }
  return profile;
}

}  // namespace loadline::placement
