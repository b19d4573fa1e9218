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
  std::string when_deleted;  ///< Delete, Retain; empty: nobody said, and nobody owns them
};

/// Which Jobs have to succeed, that the JobSet does.
struct JobSetSuccessPolicy {
  std::string op = "All";            ///< All, Any
  std::vector<std::string> targets;  ///< replicated jobs; empty: all
};

/// What follows when a Job failed that all of this applies to.
struct JobSetFailureRule {
  std::string name;
  std::string action;                         ///< FailJobSet, RestartJobSet, …
  std::vector<std::string> reasons;           ///< of the Job's condition; empty: any
  std::vector<std::string> message_patterns;  ///< regular expressions, one of which its message has to match; likewise
  std::vector<std::string> targets;           ///< replicated jobs; likewise
};

struct JobSetFailurePolicy {
  std::int32_t max_restarts = 0;
  std::string restart_strategy;  ///< Recreate, BlockingRecreate, InPlaceRestart
  std::vector<JobSetFailureRule> rules;
};

/// How many of a replicated job's Jobs are how far.
struct ReplicatedJobStatus {
  std::string name;
  std::int32_t ready = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t active = 0;
  std::int32_t suspended = 0;

  friend bool operator==(const ReplicatedJobStatus&, const ReplicatedJobStatus&) = default;
};

struct JobSetStatus {
  std::int32_t restarts = 0;
  std::int32_t restarts_count_towards_max = 0;
  std::string terminal_state;
  std::vector<ReplicatedJobStatus> replicated_jobs;  ///< the last name first
  std::vector<MetaCondition> conditions;

  friend bool operator==(const JobSetStatus&, const JobSetStatus&) = default;
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
  bool publishes_not_ready_addresses = true;
  JobSetSuccessPolicy success_policy;
  std::optional<JobSetFailurePolicy> failure_policy;
  std::optional<std::int32_t> ttl_seconds_after_finished;
  JobSetStatus status;
};

}  // namespace loadline::kube
