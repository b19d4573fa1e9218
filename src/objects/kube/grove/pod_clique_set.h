#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// Bounds that a HorizontalPodAutoscaler keeps to.
struct CliqueAutoscaling {
  std::optional<std::int32_t> min_replicas;  ///< absent: the replicas
  std::int32_t max_replicas = 0;
};

/// Pods of one role.
struct CliqueSpec {
  std::string role_name;
  PodTemplateSpec template_;  ///< its spec is the field podSpec; labels and annotations are the clique's own
  std::int32_t replicas = 0;  ///< of a template, 0: one
  std::optional<std::int32_t> min_available;  ///< absent: all
  /// Cliques of which as many pods as they need at least are ready before these pods' containers start: of a template
  /// by their names there, of a PodClique by their own.
  std::vector<std::string> starts_after;
  std::optional<CliqueAutoscaling> autoscaling;
};

/// How close pods are to be, in the domains of a ClusterTopologyBinding.
struct GroveTopologyConstraint {
  std::string topology;  ///< topologyName
  std::string required;  ///< pack.required, or the older packDomain: "rack"
  std::string preferred;
};

/// A clique as a PodCliqueSet describes it.
struct CliqueTemplate {
  std::string name;
  CliqueSpec spec;
  std::optional<GroveTopologyConstraint> topology;
};

/// Cliques that are scaled as one.
struct CliqueScalingGroup {
  std::string name;
  std::vector<std::string> cliques;
  StringMap annotations;
  std::optional<std::int32_t> replicas;       ///< absent: 1
  std::optional<std::int32_t> min_available;  ///< absent: 1
  std::optional<CliqueAutoscaling> autoscaling;
  std::optional<GroveTopologyConstraint> topology;
};

/// How far a Grove object has got on its way to new templates; each kind has some of this.
struct CliqueUpdate {
  /// Pods that were ready are given up one after the other, and so are the replicas of a scaling group.
  struct Pods {
    std::string current;
    std::vector<std::string> completed;
    friend bool operator==(const Pods&, const Pods&) = default;
  };
  struct Replicas {
    std::int32_t current = 0;
    std::vector<std::int32_t> completed;
    friend bool operator==(const Replicas&, const Replicas&) = default;
  };
  /// A replica of a set.
  struct Replica {
    std::int32_t index = 0;
    std::optional<Instant> started_at;
    std::optional<Instant> ended_at;
    friend bool operator==(const Replica&, const Replica&) = default;
  };

  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;  ///< absent: it goes on
  std::string set_hash;             ///< of the set's templates that it leads to
  std::string template_hash;
  std::int32_t updated_cliques = 0;
  std::int32_t total_cliques = 0;
  std::int32_t updated_groups = 0;
  std::int32_t total_groups = 0;
  std::optional<Pods> pods;
  std::optional<Replicas> replicas;
  std::vector<Replica> updating;
  friend bool operator==(const CliqueUpdate&, const CliqueUpdate&) = default;
};

/// What a Grove object's status says; each kind has some of it.
struct CliqueStatus {
  std::int32_t replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t updated_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int32_t scheduled_replicas = 0;
  std::int32_t gated_replicas = 0;
  std::int64_t observed_generation = 0;
  std::string selector;
  std::string set_hash;  ///< of its set's templates
  std::string template_hash;
  std::vector<MetaCondition> conditions;
  std::optional<CliqueUpdate> update;
  friend bool operator==(const CliqueStatus&, const CliqueStatus&) = default;
};

/// Grove's PodCliqueSet (grove.io/v1alpha1): replicas of a set of cliques, each of which starts whole.
struct PodCliqueSet {
  ObjectMeta metadata;
  std::int32_t replicas = 0;
  std::vector<CliqueTemplate> cliques;
  std::string startup_type;         ///< CliqueStartupTypeAnyOrder, …InOrder, …Explicit; empty: the first
  std::string priority_class_name;  ///< of its gangs; pods have their own
  bool publishes_not_ready_addresses = true;
  /// How long as many pods as a clique needs may be missing before its gang is given up; absent: four hours.
  std::optional<Duration> termination_delay;
  std::string update_strategy;  ///< RollingRecreate, OnDelete; empty: the first
  std::vector<CliqueScalingGroup> scaling_groups;
  std::optional<GroveTopologyConstraint> topology;
  CliqueStatus status;
};

/// Grove's PodClique: pods of one role. Most are made for a PodCliqueSet or one of its scaling groups.
struct PodClique {
  ObjectMeta metadata;
  CliqueSpec spec;
  CliqueStatus status;
};

/// Grove's PodCliqueScalingGroup, made for a PodCliqueSet that describes its cliques.
struct PodCliqueScalingGroup {
  ObjectMeta metadata;
  std::int32_t replicas = 1;
  std::optional<std::int32_t> min_available;  ///< absent: 1
  std::vector<std::string> cliques;           ///< by their names in the set
  CliqueStatus status;
};

/// What Grove's webhook fills in: a clique has a pod, and needs all of its pods. Idempotent.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/webhook/admission/pcs/defaulting.
void set_defaults(PodCliqueSet& set);

}  // namespace loadline::kube
