#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "objects/kube/core/pod.h"

namespace loadline::cluster::testing {

using Strings = std::vector<std::string>;

inline kube::NodeSelectorRequirement requirement(const std::string& key, kube::NodeSelectorOperator op,
                                                 const Strings& values = {}) {
  return {key, op, values};
}

/// A node selector term with one requirement on a label.
inline kube::NodeSelectorTerm label_in(const std::string& key, const Strings& values) {
  return {{requirement(key, kube::NodeSelectorOperator::kIn, values)}, {}};
}

/// A node selector term that names a node.
inline kube::NodeSelectorTerm named(const std::string& node) {
  return {{}, {requirement("metadata.name", kube::NodeSelectorOperator::kIn, {node})}};
}

inline kube::LabelSelector selecting(const std::string& key, const std::string& value) { return {{{key, value}}, {}}; }

/// "Pods with this label", per value of the topology key.
inline kube::PodAffinityTerm pods_with(const std::string& key, const std::string& value, const std::string& topology) {
  kube::PodAffinityTerm term;
  term.label_selector = selecting(key, value);
  term.topology_key = topology;
  return term;
}

inline kube::TopologySpreadConstraint spread_over(const std::string& topology, std::int32_t max_skew,
                                                  kube::UnsatisfiableAction action, kube::LabelSelector selector) {
  kube::TopologySpreadConstraint constraint;
  constraint.topology_key = topology;
  constraint.max_skew = max_skew;
  constraint.when_unsatisfiable = action;
  constraint.label_selector = std::move(selector);
  return constraint;
}

inline kube::Toleration tolerating(const std::string& key, kube::TaintEffect effect = kube::TaintEffect::kNone) {
  return {key, kube::TolerationOperator::kExists, "", effect, std::nullopt};
}

/// A pod of namespace "default" with one container that requests nothing, unless said otherwise. What is said about
/// containers goes to the one added last.
class PodBuilder {
 public:
  explicit PodBuilder(const std::string& name) {
    pod_.metadata.name = name;
    pod_.metadata.namespace_ = "default";
    spec_.containers.push_back(container("main"));
  }

  PodBuilder& in(const std::string& name_space) {
    pod_.metadata.namespace_ = name_space;
    return *this;
  }
  PodBuilder& label(const std::string& key, const std::string& value) {
    pod_.metadata.labels[key] = value;
    return *this;
  }
  PodBuilder& owned_by(const std::string& kind, const std::string& name, const std::string& version = "apps/v1") {
    pod_.metadata.owner_references.push_back({version, kind, name, "uid-of-" + name, true});
    return *this;
  }

  PodBuilder& request(const std::string& resource, const std::string& amount) {
    spec_.containers.back().resources.requests[resource] = quantity(amount);
    return *this;
  }
  PodBuilder& image(const std::string& image) {
    spec_.containers.back().image = image;
    return *this;
  }
  PodBuilder& host_port(std::int32_t port, kube::Protocol protocol = kube::Protocol::kTcp, const std::string& ip = "") {
    spec_.containers.back().ports.push_back({"", port, port, ip, protocol});
    return *this;
  }
  PodBuilder& another_container() {
    spec_.containers.push_back(container("another"));
    return *this;
  }
  PodBuilder& init_container(const std::string& resource, const std::string& amount) {
    kube::Container init = container("init");
    init.resources.requests[resource] = quantity(amount);
    spec_.init_containers.push_back(std::move(init));
    return *this;
  }
  PodBuilder& sidecar(const std::string& resource, const std::string& amount) {
    init_container(resource, amount);
    spec_.init_containers.back().restart_policy = kube::ContainerRestartPolicy::kAlways;
    return *this;
  }
  PodBuilder& overhead(const std::string& resource, const std::string& amount) {
    spec_.overhead[resource] = quantity(amount);
    return *this;
  }
  PodBuilder& pod_level_request(const std::string& resource, const std::string& amount) {
    if (!spec_.resources) spec_.resources.emplace();
    spec_.resources->requests[resource] = quantity(amount);
    return *this;
  }

  PodBuilder& selects_nodes(const std::string& key, const std::string& value) {
    spec_.node_selector[key] = value;
    return *this;
  }
  /// One more required term; terms are alternatives.
  PodBuilder& requires_nodes(kube::NodeSelectorTerm term) {
    auto& required = node_affinity().required;
    if (!required) required.emplace();
    required->terms.push_back(std::move(term));
    return *this;
  }
  PodBuilder& prefers_nodes(std::int32_t weight, kube::NodeSelectorTerm term) {
    node_affinity().preferred.push_back({weight, std::move(term)});
    return *this;
  }
  PodBuilder& near(kube::PodAffinityTerm term) {
    towards().required.push_back(std::move(term));
    return *this;
  }
  PodBuilder& prefers_near(std::int32_t weight, kube::PodAffinityTerm term) {
    towards().preferred.push_back({weight, std::move(term)});
    return *this;
  }
  PodBuilder& away_from(kube::PodAffinityTerm term) {
    away().required.push_back(std::move(term));
    return *this;
  }
  PodBuilder& prefers_away_from(std::int32_t weight, kube::PodAffinityTerm term) {
    away().preferred.push_back({weight, std::move(term)});
    return *this;
  }
  PodBuilder& spread(kube::TopologySpreadConstraint constraint) {
    spec_.topology_spread_constraints.push_back(std::move(constraint));
    return *this;
  }
  PodBuilder& tolerates(kube::Toleration toleration) {
    spec_.tolerations.push_back(std::move(toleration));
    return *this;
  }

  PodBuilder& priority(std::int32_t priority) {
    spec_.priority = priority;
    return *this;
  }
  PodBuilder& priority_class(const std::string& name) {
    spec_.priority_class_name = name;
    return *this;
  }
  PodBuilder& never_preempts() {
    spec_.preemption_policy = kube::PreemptionPolicy::kNever;
    return *this;
  }
  PodBuilder& gated(const std::string& gate) {
    spec_.scheduling_gates.push_back(gate);
    return *this;
  }
  PodBuilder& group(const std::string& name) {
    spec_.pod_group_name = name;
    return *this;
  }
  PodBuilder& scheduler(const std::string& name) {
    spec_.scheduler_name = name;
    return *this;
  }
  PodBuilder& grace_period(std::int64_t seconds) {
    spec_.termination_grace_period_seconds = seconds;
    return *this;
  }
  PodBuilder& on_node(const std::string& name) {
    spec_.node_name = name;
    return *this;
  }
  PodBuilder& started(std::int64_t second) {
    pod_.status.start_time = Instant{} + Duration::seconds(second);
    return *this;
  }
  PodBuilder& deleted_at(std::int64_t second) {
    pod_.metadata.deletion_timestamp = Instant{} + Duration::seconds(second);
    return *this;
  }
  /// As read from a live cluster.
  PodBuilder& exists() {
    pod_.metadata.uid = "uid-of-" + pod_.metadata.name;
    return *this;
  }

  /// What the builder has no word for.
  kube::PodSpec& spec() { return spec_; }
  kube::Pod& pod() { return pod_; }

  [[nodiscard]] kube::Pod build() const {
    kube::Pod pod = pod_;
    pod.spec = std::make_shared<const kube::PodSpec>(spec_);
    return pod;
  }
  operator kube::Pod() const { return build(); }  // NOLINT: a builder stands for what it builds

 private:
  static kube::Container container(const std::string& name) {
    kube::Container container;
    container.name = name;
    container.image = name;
    return container;
  }
  kube::Affinity& affinity() { return spec_.affinity ? *spec_.affinity : spec_.affinity.emplace(); }
  kube::NodeAffinity& node_affinity() {
    auto& node = affinity().node;
    return node ? *node : node.emplace();
  }
  kube::PodAffinity& towards() {
    auto& pod = affinity().pod;
    return pod ? *pod : pod.emplace();
  }
  kube::PodAffinity& away() {
    auto& pod = affinity().pod_anti;
    return pod ? *pod : pod.emplace();
  }

  kube::Pod pod_;
  kube::PodSpec spec_;
};

inline PodBuilder pod(const std::string& name) { return PodBuilder(name); }

inline kube::PodSpec spec_of(const PodBuilder& builder) {
  const kube::Pod built = builder;
  return *built.spec;
}

}  // namespace loadline::cluster::testing
