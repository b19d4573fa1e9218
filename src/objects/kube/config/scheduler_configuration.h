#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/config/extender.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// kubescheduler.config.k8s.io/v1, with upstream's defaults filled in. Durations and client settings that cannot
/// change a decision are checked on reading, and not kept.

struct PluginReference {
  std::string name;
  std::int32_t weight = 0;  ///< 0: not given
};

struct PluginSet {
  std::vector<PluginReference> enabled;
  std::vector<PluginReference> disabled;  ///< "*" disables all defaults
};

struct ProfilePlugins {
  PluginSet pre_enqueue, queue_sort, pre_filter, filter, post_filter, pre_score, score, reserve, permit, pre_bind, bind,
      post_bind, multi_point;
};

struct ResourceSpec {
  std::string name;
  std::int64_t weight = 1;
};

struct UtilizationShapePoint {
  std::int32_t utilization = 0;  ///< percent
  std::int32_t score = 0;        ///< 0..10
};

enum class ScoringStrategyType : std::uint8_t { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategyType strategy = ScoringStrategyType::kLeastAllocated;
  std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};
  std::vector<UtilizationShapePoint> shape;  ///< of RequestedToCapacityRatio
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};
};

struct NodeAffinityArgs {
  std::optional<NodeAffinity> added_affinity;
};

struct InterPodAffinityArgs {
  std::int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

enum class SpreadDefaulting : std::uint8_t { kSystem, kList };

struct PodTopologySpreadArgs {
  SpreadDefaulting defaulting = SpreadDefaulting::kSystem;
  std::vector<TopologySpreadConstraint> default_constraints;
};

struct DefaultPreemptionArgs {
  std::int32_t min_candidate_nodes_percentage = 10;
  std::int32_t min_candidate_nodes_absolute = 100;
};

struct VolumeBindingArgs {
  std::int64_t bind_timeout_seconds = 600;
  std::vector<UtilizationShapePoint> shape;
};

struct PluginArgs {
  NodeResourcesFitArgs fit;
  NodeResourcesBalancedAllocationArgs balanced;
  NodeAffinityArgs node_affinity;
  InterPodAffinityArgs inter_pod_affinity;
  PodTopologySpreadArgs spread;
  DefaultPreemptionArgs preemption;
  VolumeBindingArgs volume_binding;
};

/// Where a profile names a plugin that kube-scheduler does not have.
struct PluginMention {
  std::string name;
  SourcePosition at;
  std::string subject;  ///< of the object, as a Diagnostic has it
  std::string path;
};

/// The schedulerName of pods that name none.
inline constexpr const char* kDefaultScheduler = "default-scheduler";

struct SchedulerProfile {
  SourcePosition source;  ///< ours: where the profile was read from
  std::string scheduler_name = kDefaultScheduler;
  std::optional<std::int32_t> percentage_of_nodes_to_score;
  ProfilePlugins plugins;
  PluginArgs args;
  std::vector<PluginMention> out_of_tree;  ///< in order of position, see unknown_plugins()
  std::map<std::string, document::Value, std::less<>> out_of_tree_args;  ///< pluginConfig of those, by name
  std::vector<Extender> extenders;  ///< those of the configuration it was read from, which its profiles share
};

/// Profiles, and extenders, of one configuration. Each profile is a scheduler with plugins of its own, and sees all
/// extenders; kube-scheduler states no bound, and no cluster comes near.
inline constexpr std::size_t kMostProfiles = 256;
inline constexpr std::size_t kMostExtenders = 256;

/// The ConfigMap that carries a configuration.
struct CarryingConfigMap {
  std::string name_space;
  std::string name;
  std::optional<Instant> created;
  bool is_of_cluster = false;  ///< said by a caller who knows: of one that goes on without what is wrong in it
  [[nodiscard]] std::string to_string() const { return name_space + "/" + name; }
};

struct SchedulerConfiguration {
  /// nullopt: every node is scored (our default). 0: upstream's adaptive rule. 1..100: that share.
  std::optional<std::int32_t> percentage_of_nodes_to_score;
  std::int32_t pod_initial_backoff_seconds = 1;
  std::int32_t pod_max_backoff_seconds = 10;
  std::vector<SchedulerProfile> profiles = {SchedulerProfile{}};
  std::vector<Extender> extenders;
  SourcePosition extenders_at = {};                            ///< ours: where they are named
  std::optional<CarryingConfigMap> config_map = std::nullopt;  ///< ours: where it was found, if not by itself
};

/// Adds a profile of that name, unless there is one: default-scheduler's, or, without it, Kubernetes' defaults.
void answer_to(std::string_view scheduler_name, SchedulerConfiguration& configuration);

}  // namespace loadline::kube
