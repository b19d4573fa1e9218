#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "objects/kube/config/extender_schema.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/affinity_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

void validate_range(FieldReport& report, const Path& at, std::int64_t value, std::int64_t low, std::int64_t high,
                    std::string_view detail) {
  if (value < low || value > high) report.invalid(at, value, detail);
}

void validate_percentage(FieldReport& report, const Path& at, const std::optional<std::int32_t>& percentage) {
  if (percentage) validate_range(report, at, *percentage, 0, 100, "not in valid range [0-100]");
}

void validate_shape(FieldReport& report, const Path& at, const std::vector<UtilizationShapePoint>& shape) {
  constexpr std::int32_t kMaxScore = 10;
  if (shape.empty()) {
    report.required(at, "at least one point must be specified");
    return;
  }
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    const Path point = Path::element(at, i);
    report.invalid(Path(point, "utilization"), shape[i].utilization, "values must be sorted in increasing order");
    break;
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Path point = Path::element(at, i);
    validate_range(report, Path(point, "utilization"), shape[i].utilization, 0, 100, "not in valid range [0, 100]");
    validate_range(report, Path(point, "score"), shape[i].score, 0, kMaxScore, "not in valid range [0, 10]");
  }
}

void validate_preemption(FieldReport& report, const Path& at, const DefaultPreemptionArgs& args) {
  const Path percentage(at, "minCandidateNodesPercentage");
  const Path absolute(at, "minCandidateNodesAbsolute");
  validate_range(report, percentage, args.min_candidate_nodes_percentage, 0, 100, "not in valid range [0, 100]");
  if (args.min_candidate_nodes_absolute < 0) {
    report.invalid(absolute, args.min_candidate_nodes_absolute, "not in valid range [0, inf)");
  }
  if (args.min_candidate_nodes_percentage == 0 && args.min_candidate_nodes_absolute == 0) {
    report.invalid(percentage, 0, "cannot be zero at the same time as minCandidateNodesAbsolute");
    report.invalid(absolute, 0, "cannot be zero at the same time as minCandidateNodesPercentage");
  }
}

void validate_node_affinity(FieldReport& report, const Path& at, const NodeAffinityArgs& args) {
  if (!args.added_affinity) return;
  const Path added(at, "addedAffinity");
  if (args.added_affinity->required) {
    const Path required(added, "requiredDuringSchedulingIgnoredDuringExecution");
    const Path terms(required, "nodeSelectorTerms");
    for (std::size_t i = 0; i < args.added_affinity->required->terms.size(); ++i) {
      validate_node_selector_term(report, Path::element(terms, i), args.added_affinity->required->terms[i],
                                  LabelValues::kStrict);
    }
  }
  const Path preferred(added, "preferredDuringSchedulingIgnoredDuringExecution");
  for (std::size_t i = 0; i < args.added_affinity->preferred.size(); ++i) {
    const Path term = Path::element(preferred, i);
    validate_node_selector_term(report, term, args.added_affinity->preferred[i].preference, LabelValues::kStrict);
  }
}

void validate_balanced(FieldReport& report, const Path& at, const NodeResourcesBalancedAllocationArgs& args) {
  const Path resources(at, "resources");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < args.resources.size(); ++i) {
    const Path place = Path::element(resources, i);
    if (!seen.insert(args.resources[i].name).second) report.duplicate(Path(place, "name"), args.resources[i].name);
    if (args.resources[i].weight != 1) report.invalid(Path(place, "weight"), args.resources[i].weight, "must be 1");
  }
}

void validate_spread(FieldReport& report, const Path& at, const PodTopologySpreadArgs& args) {
  if (args.defaulting == SpreadDefaulting::kSystem && !args.default_constraints.empty()) {
    report.invalid(Path(at, "defaultingType"), "System", "when .defaultConstraints are not empty",
                   "add defaultingType: List");
  }
  const Path constraints(at, "defaultConstraints");
  std::set<std::pair<std::string_view, UnsatisfiableAction>> seen;
  for (std::size_t i = 0; i < args.default_constraints.size(); ++i) {
    const TopologySpreadConstraint& constraint = args.default_constraints[i];
    const Path place = Path::element(constraints, i);
    if (constraint.max_skew <= 0) {
      report.invalid(Path(place, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)");
    }
    const Path topology_key(place, "topologyKey");
    if (constraint.topology_key.empty()) {
      report.required(topology_key, "can not be empty");
    } else {
      validate_label_key(report, topology_key, constraint.topology_key);
    }
    if (constraint.label_selector) {
      report.forbidden(Path(place, "labelSelector"),
                       "constraint must not define a selector, as they deduced for each pod");
    }
    if (!seen.emplace(constraint.topology_key, constraint.when_unsatisfiable).second) {
      report.duplicate(
          place, "{" + constraint.topology_key + ", " + std::string(name_of(constraint.when_unsatisfiable)) + "}");
    }
  }
}

void validate_fit(FieldReport& report, const Path& at, const NodeResourcesFitArgs& args) {
  const Path ignored(at, "ignoredResources");
  for (std::size_t i = 0; i < args.ignored_resources.size(); ++i) {
    validate_label_key(report, Path::element(ignored, i), args.ignored_resources[i]);
  }
  const Path groups(at, "ignoredResourceGroups");
  for (std::size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
    const std::string& group = args.ignored_resource_groups[i];
    const Path place = Path::element(groups, i);
    if (group.find('/') != std::string::npos) report.invalid(place, group, "resource group name can't contain '/'");
    validate_label_key(report, place, group);
  }
  const Path strategy(at, "scoringStrategy");
  const Path resources(strategy, "resources");
  for (std::size_t i = 0; i < args.resources.size(); ++i) {
    const Path place = Path::element(resources, i);
    validate_range(report, Path(place, "weight"), args.resources[i].weight, 1, 100,
                   "resource weight of " + args.resources[i].name + " not in valid range (0, 100]");
  }
  const Path ratio(strategy, "requestedToCapacityRatio");
  if (args.strategy == ScoringStrategyType::kRequestedToCapacityRatio) {
    if (args.shape.empty()) {
      report.required(ratio, "must be specified when type is RequestedToCapacityRatio");
    } else {
      validate_shape(report, Path(ratio, "shape"), args.shape);
    }
  } else if (!args.shape.empty()) {
    report.forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio");
  }
}

void validate_volume_binding(FieldReport& report, const Path& at, const VolumeBindingArgs& args) {
  if (args.bind_timeout_seconds < 0) {
    report.invalid(Path(at, "bindTimeoutSeconds"), args.bind_timeout_seconds,
                   "invalid BindTimeoutSeconds, should not be a negative value");
  }
  if (args.shape.empty()) return;
  std::string json = "[";
  for (const UtilizationShapePoint& point : args.shape) {
    json.append(json.size() > 1 ? "," : "").append("{\"Utilization\":").append(std::to_string(point.utilization));
    json.append(",\"Score\":").append(std::to_string(point.score)) += "}";
  }
  report.invalid_json(Path(at, "shape"), json + "]",
                      "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring");
}

/// Arguments are named by their plugin, since their place in pluginConfig decides nothing.
void validate_args(FieldReport& report, const Path& profile, const PluginArgs& args) {
  const Path config(profile, "pluginConfig");
  const auto validate_plugin = [&](std::string_view plugin, auto validate_one, const auto& own_args) {
    const Path entry = Path::key(config, plugin);
    validate_one(report, Path(entry, "args"), own_args);
  };
  validate_plugin("DefaultPreemption", validate_preemption, args.preemption);
  const auto validate_inter_pod = [](FieldReport& to, const Path& at, const InterPodAffinityArgs& own_args) {
    validate_range(to, Path(at, "hardPodAffinityWeight"), own_args.hard_pod_affinity_weight, 0, 100,
                   "not in valid range [0, 100]");
  };
  validate_plugin("InterPodAffinity", validate_inter_pod, args.inter_pod_affinity);
  validate_plugin("NodeAffinity", validate_node_affinity, args.node_affinity);
  validate_plugin("NodeResourcesBalancedAllocation", validate_balanced, args.balanced);
  validate_plugin("NodeResourcesFit", validate_fit, args.fit);
  validate_plugin("PodTopologySpread", validate_spread, args.spread);
  validate_plugin("VolumeBinding", validate_volume_binding, args.volume_binding);
}

bool same(const PluginSet& a, const PluginSet& b) {
  const auto names_equal = [](const std::vector<PluginReference>& x, const std::vector<PluginReference>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const PluginReference& p, const PluginReference& q) {
      return p.name == q.name && p.weight == q.weight;
    });
  };
  return names_equal(a.enabled, b.enabled) && names_equal(a.disabled, b.disabled);
}

std::string to_json(const std::vector<PluginReference>& plugins) {
  if (plugins.empty()) return "null";
  std::string json = "[";
  for (const PluginReference& plugin : plugins) {
    json.append(json.size() > 1 ? "," : "").append("{\"Name\":").append(quoted(plugin.name));
    json.append(",\"Weight\":").append(std::to_string(plugin.weight)) += "}";
  }
  return json + "]";
}

void validate_queue_sort(FieldReport& report, const Path& at, const std::vector<SchedulerProfile>& profiles) {
  const PluginSet& first = profiles[0].plugins.queue_sort;
  if (first.enabled.size() > 1) {
    const Path place = Path::element(at, 0);
    const Path plugins(place, "plugins");
    const Path queue_sort(plugins, "queueSort");
    report.invalid(Path(queue_sort, "Enabled"), static_cast<std::int64_t>(first.enabled.size()),
                   "only one queue sort plugin can be enabled");
  }
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    const PluginSet& other = profiles[i].plugins.queue_sort;
    if (same(first, other)) continue;
    const Path place = Path::element(at, i);
    const Path plugins(place, "plugins");
    report.invalid_json(Path(plugins, "queueSort"),
                        "{\"Enabled\":" + to_json(other.enabled) + ",\"Disabled\":" + to_json(other.disabled) + "}",
                        "must be the same for all profiles");
  }
}

}  // namespace

FieldErrors validate(const SchedulerConfiguration& configuration) {
  FieldReport report;
  const Path root(nullptr);
  const Path profiles(root, "profiles");
  if (configuration.profiles.empty()) {
    report.required(profiles);
  } else {
    std::map<std::string_view, std::size_t> first_of;
    for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
      const SchedulerProfile& profile = configuration.profiles[i];
      const Path place = Path::element(profiles, i);
      if (profile.scheduler_name.empty()) report.required(Path(place, "schedulerName"));
      validate_percentage(report, Path(place, "percentageOfNodesToScore"), profile.percentage_of_nodes_to_score);
      validate_args(report, place, profile.args);
      const auto [first, is_new] = first_of.emplace(profile.scheduler_name, i);
      if (is_new) continue;
      // Go prints the other profile's path, a struct without public members.
      report.duplicate_json(Path(place, "schedulerName"), "{}", {});
      first->second = i;
    }
    validate_queue_sort(report, profiles, configuration.profiles);
  }
  validate_percentage(report, Path(root, "percentageOfNodesToScore"), configuration.percentage_of_nodes_to_score);
  if (configuration.pod_initial_backoff_seconds <= 0) {
    report.invalid(Path(root, "podInitialBackoffSeconds"), configuration.pod_initial_backoff_seconds,
                   "must be greater than 0");
  }
  if (configuration.pod_max_backoff_seconds < configuration.pod_initial_backoff_seconds) {
    report.invalid(Path(root, "podMaxBackoffSeconds"), configuration.pod_max_backoff_seconds,
                   "must be greater than or equal to PodInitialBackoffSeconds");
  }
  validate_extenders(report, Path(root, "extenders"), configuration.extenders);
  return report.take();
}

}  // namespace loadline::kube
