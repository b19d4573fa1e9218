#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// Parts of a group that belong closer together.
struct SubGroupPolicy {
  bool excludes_leader = false;  ///< subGroupPolicyType LeaderExcluded
  std::int32_t size = 1;
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
};

}  // namespace loadline::kube
