#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "objects/kube/batch/batch.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// An earlier replicated job that one waits for.
struct ReplicatedJobDependency {
  std::string name;
  std::string status;  ///< Ready, Complete
};

struct ReplicatedJob {
  std::string name;
  std::string group_name;
  std::int32_t replicas = 1;
  ObjectMeta job_metadata;
  JobSpec job_spec;  ///< Indexed, unless something else is said
  std::vector<ReplicatedJobDependency> depends_on;
  std::set<std::string> mounted_volumes;  ///< that containers of its pods mount, by name
};

struct JobSetCoordinator {
  std::string replicated_job;
  std::int32_t job_index = 0;
  std::int32_t pod_index = 0;
};

/// Claims that all pods of a JobSet share.
struct VolumeClaimPolicy {
  std::vector<PersistentVolumeClaimTemplate> templates;
};

/// jobset.x-k8s.io/v1alpha2: Jobs that belong together.
struct JobSet {
  ObjectMeta metadata;
  std::vector<ReplicatedJob> replicated_jobs;
  bool has_dns_hostnames = true;
  std::string subdomain;  ///< empty: the name of the JobSet
  bool starts_in_order = false;
  std::optional<JobSetCoordinator> coordinator;
  std::vector<VolumeClaimPolicy> volume_claim_policies;
  bool suspend = false;
  std::string managed_by;  ///< empty: the operator
  std::int32_t restarts = 0;
  std::vector<MetaCondition> conditions;
};

}  // namespace loadline::kube
