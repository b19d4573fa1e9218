#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// Parts of a group that belong closer together.
struct SubGroupPolicy {
  bool excludes_leader = false;  ///< subGroupPolicyType LeaderExcluded
  std::int32_t size = 1;
};

struct LeaderWorkerSetStatus {
  std::vector<MetaCondition> conditions;
  std::int32_t ready_replicas = 0;  ///< groups, as are the others
  std::int32_t updated_replicas = 0;
  std::int32_t replicas = 0;
  std::string leader_selector;  ///< hpaPodSelector: for the scale subresource
  std::int64_t observed_generation = 0;

  friend bool operator==(const LeaderWorkerSetStatus&, const LeaderWorkerSetStatus&) = default;
};

/// leaderworkerset.x-k8s.io/v1: groups of a leader and its workers.
struct LeaderWorkerSet {
  ObjectMeta metadata;
  std::int32_t replicas = 1;                       ///< groups
  std::int32_t size = 1;                           ///< pods of a group, its leader among them
  std::optional<PodTemplateSpec> leader_template;  ///< absent: as its workers
  PodTemplateSpec worker_template;
  std::vector<PersistentVolumeClaimTemplate> volume_claim_templates;
  std::optional<SubGroupPolicy> sub_groups;
  bool waits_for_leader = false;              ///< startupPolicy LeaderReady
  bool has_subdomain_for_each_group = false;  ///< networkConfig.subdomainPolicy UniquePerReplica
  std::string restart_policy;                 ///< RecreateGroupOnPodRestart, RecreateGroupAfterStart, None
  std::int32_t partition = 0;                 ///< groups below keep their revision
  IntOrString max_unavailable{1, {}};         ///< groups, of a rolling update
  IntOrString max_surge{0, {}};
  LeaderWorkerSetStatus status;
};

}  // namespace loadline::kube
