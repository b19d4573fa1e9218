#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/facts/resources.h"
#include "brain/cluster/ids.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::cluster {

struct CompiledToleration {
  Symbol key;  ///< empty text: every key
  kube::TolerationOperator op = kube::TolerationOperator::kEqual;
  Symbol value;
  kube::TaintEffect effect = kube::TaintEffect::kNone;
  std::optional<std::int64_t> seconds;
  friend auto operator<=>(const CompiledToleration&, const CompiledToleration&) = default;
};

struct CompiledTaint {
  Symbol key;
  Symbol value;
  kube::TaintEffect effect = kube::TaintEffect::kNoSchedule;
  std::optional<Instant> added;
};

/// v1.Toleration.ToleratesTaint with the comparison operators' feature gate off, its v1.36 default.
bool tolerates(const CompiledToleration& toleration, const CompiledTaint& taint);
bool tolerated(const std::vector<CompiledToleration>& tolerations, const CompiledTaint& taint);

struct HostPort {
  Symbol ip;  ///< "0.0.0.0" where none was given
  kube::Protocol protocol = kube::Protocol::kTcp;
  std::int32_t port = 0;
};
bool conflict(const HostPort& a, const HostPort& b, Symbol wildcard);

/// "Pods of these namespaces with these labels", the subject of an affinity term.
struct PodTerm {
  std::vector<Symbol> namespaces;  ///< sorted
  PodSelector namespace_selector;  ///< over the labels of namespaces; default: none
  PodSelector selector;
  friend auto operator<=>(const PodTerm&, const PodTerm&) = default;
};

struct AffinityTerm {
  TermId term;
  TopologyKeyId key;
  std::int32_t weight = 0;  ///< of a preferred term
};

/// Everything a decision can read of a pod, compiled. Pods that are equal in it share one shape, so whatever is
/// computed for a shape holds for all of them. Immutable once interned.
struct PodShape {
  Symbol name_space;
  LabelSet labels;
  Symbol scheduler_name;
  Symbol required_node_name;  ///< spec.nodeName, or invalid

  std::vector<ResourceAmount> requests;       ///< what NodeResourcesFit compares: spec only
  std::vector<ResourceAmount> usage;          ///< what the pod takes once bound: resized status included
  std::int64_t nonzero_cpu = 0;               ///< usage with 100m per container that requests none
  std::int64_t nonzero_memory = 0;            ///< usage with 200Mi per container that requests none
  kube::ResourceList requests_list;           ///< effective requests by name, pod-level resources included
  kube::ResourceList container_nonzero_list;  ///< containers only, missing cpu and memory filled in: what Fit scores

  NodeAffinityRule node_affinity;
  std::vector<WeightedNodeTerm> preferred_node_affinity;
  /// Names that matchFields narrow the search to; nullopt: not narrowed; empty: contradictory.
  std::optional<std::vector<Symbol>> candidate_node_names;
  std::vector<CompiledToleration> tolerations;
  std::vector<HostPort> host_ports;
  std::vector<Symbol> images;  ///< normalised, one per container or image volume that has one
  std::size_t container_count = 0;

  std::vector<AffinityTerm> required_affinity, required_anti_affinity;
  std::vector<AffinityTerm> preferred_affinity, preferred_anti_affinity;

  std::vector<kube::TopologySpreadConstraint> spread;
  std::optional<kube::OwnerReference> controller;
  std::shared_ptr<const kube::PodSpec> spec;  ///< of the first pod of the shape: volumes, claims
};

}  // namespace loadline::cluster
