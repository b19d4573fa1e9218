#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// A clique as a PodCliqueSet describes it.
struct CliqueTemplate {
  std::string name;
  CliqueSpec spec;
};

/// Cliques that are scaled as one.
struct CliqueScalingGroup {
  std::string name;
  std::vector<std::string> cliques;
  StringMap annotations;
  std::optional<std::int32_t> replicas;       ///< absent: 1
  std::optional<std::int32_t> min_available;  ///< absent: 1
  std::optional<CliqueAutoscaling> autoscaling;
};

/// What a Grove object's status says of its replicas; each kind has some of them.
struct CliqueStatus {
  std::int32_t replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t updated_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int32_t scheduled_replicas = 0;
  std::int32_t gated_replicas = 0;
  std::int64_t observed_generation = 0;
  std::vector<MetaCondition> conditions;
};

/// Grove's PodCliqueSet (grove.io/v1alpha1): replicas of a set of cliques, each of which starts whole.
struct PodCliqueSet {
  ObjectMeta metadata;
  std::int32_t replicas = 0;
  std::vector<CliqueTemplate> cliques;
  std::string startup_type;         ///< CliqueStartupTypeAnyOrder, …InOrder, …Explicit; empty: the first
  std::string priority_class_name;  ///< of its gangs; pods have their own
  bool publishes_not_ready_addresses = true;
  std::vector<CliqueScalingGroup> scaling_groups;
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
