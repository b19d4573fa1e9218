#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/jobset/job_set.h"

namespace loadline::workloads {

// A JobSet's Jobs: for each replicated job so many, `<set>-<replicated job>-<index>`, and a headless service that all
// of their pods answer to. Jobs and pods carry the same labels, and these as annotations too. A Job comes when those
// before it allow: InOrder, when all Jobs of the earlier replicated jobs are ready; dependsOn, when the named ones are
// ready or complete. With the annotation exclusive-topology each Job has a domain (a rack) to itself: its first pod
// keeps away from other Jobs' pods there, and the others follow it into its domain; they are made once it has a node.
// Example: "train" with a replicated job "w" of 2 with 4 pods each: Jobs train-w-0 and train-w-1, pods
// train-w-0-0-x7k2p. Source: kubernetes-sigs/jobset v0.12.0, pkg/controllers and pkg/webhooks.

/// The Job of an index among the Jobs of a replicated job.
struct JobOfSet {
  const kube::JobSet& set;
  const kube::ReplicatedJob& replicated_job;
  std::int64_t index = 0;

  [[nodiscard]] std::string name() const;  ///< "train-w-3"
  /// "<namespace>/<name>" as a digest.
  [[nodiscard]] std::string key() const;
  /// The node label whose domains Jobs have to themselves; empty: they share. The replicated job's own word counts.
  [[nodiscard]] std::string exclusive_topology() const;
  /// Whether nodes are told by the names of Jobs that somebody has put on them.
  [[nodiscard]] bool selects_labelled_nodes() const;
};

/// Completed or Failed; null: it is not over.
[[nodiscard]] const kube::MetaCondition* finished_condition(const kube::JobSet& set);
/// Whether another controller than the operator sees to it.
[[nodiscard]] bool is_managed_elsewhere(const kube::JobSet& set);
/// The domain of its pods' names, and the name of its service.
[[nodiscard]] std::string subdomain(const kube::JobSet& set);

/// What a Job gets on top of its template, and the template of its pods likewise. `uid`: the JobSet's.
[[nodiscard]] PodDraft job_draft(const JobOfSet& job, std::string_view uid);

/// What the pod of an index gets where Jobs have domains to themselves, in the operator's webhook: its first pod a term
/// that keeps others away. Followers get a term that leads them to it: the operator, which makes them later, puts the
/// domain itself in their node selectors.
[[nodiscard]] PodDraft exclusive_draft(const JobOfSet& job, bool leads, std::optional<std::int32_t> priority);

/// The first of these, told by what the pod says: its Job's key, and its priority (empty: none).
[[nodiscard]] PodDraft leader_draft(std::string_view topology, std::string_view key, std::string_view priority);

/// The claim of a template, which all pods share: "<template>-<set>".
[[nodiscard]] std::string shared_claim_name(const kube::JobSet& set, std::string_view claim_template);

}  // namespace loadline::workloads
