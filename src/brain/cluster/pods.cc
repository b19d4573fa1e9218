// The part of Cluster that keeps pods: their shapes, where they are, and what they use there.
#include <algorithm>
#include <utility>

#include "brain/cluster/cluster.h"
#include "brain/cluster/shape_compiler.h"
#include "brain/cluster/shape_key.h"
#include "foundation/base/contract.h"
#include "objects/kube/condition.h"

namespace loadline::cluster {

// ---- shapes ---------------------------------------------------------------------------------------------------------

namespace {

/// So many keys of specs are remembered at most.
constexpr std::size_t kMostSpecs = 4096;

}  // namespace

/// Specs that only this cache still holds are never asked about again.
void Cluster::forget_unshared_specs() {
  std::erase_if(spec_keys_, [](const auto& entry) { return entry.second.spec.use_count() == 1; });
}

std::string Cluster::shape_key(const kube::Pod& pod, NodeName node_name) {
  if (node_name == NodeName::kLeftOut && !pod.spec->node_name.empty()) {
    return pod_key(pod) + spec_key(*pod.spec, NodeNamePart::kLeftOut);
  }
  if (pod.spec.use_count() == 1) return pod_key(pod) + spec_key(*pod.spec);  // no other pod will come with it
  if (spec_keys_.size() >= kMostSpecs && !spec_keys_.contains(pod.spec.get())) {
    forget_unshared_specs();
    if (spec_keys_.size() > kMostSpecs / 2) spec_keys_.clear();
  }
  SpecMemo& memo = spec_keys_[pod.spec.get()];
  if (!memo.spec) memo = {pod.spec, spec_key(*pod.spec)};
  return pod_key(pod) + memo.key;
}

ShapeId Cluster::intern_shape(const kube::Pod& pod, NodeName node_name) {
  std::string key = shape_key(pod, node_name);
  if (const auto found = shape_by_key_.find(key); found != shape_by_key_.end()) return found->second;

  std::unique_ptr<PodShape> shape = compile_shape(pod, *this);
  if (node_name == NodeName::kLeftOut) shape->required_node_name = Symbol{};
  widen_resources();
  ShapeLinks links;
  const auto hold = [&](AffinityTermKind kind, const std::vector<AffinityTerm>& terms) {
    for (const AffinityTerm& term : terms) {
      links.holds.push_back(intern(AffinityTermSpec{kind, term.term, term.key, term.weight}));
      ++affinity_term_count_shapes_[links.holds.back().index()];
    }
  };
  hold(AffinityTermKind::kRequiredAffinity, shape->required_affinity);
  hold(AffinityTermKind::kRequiredAntiAffinity, shape->required_anti_affinity);
  hold(AffinityTermKind::kPreferredAffinity, shape->preferred_affinity);
  hold(AffinityTermKind::kPreferredAntiAffinity, shape->preferred_anti_affinity);

  const ShapeId id = unused_shapes_.take(shapes_.size());
  if (id.index() == shapes_.size()) {
    shapes_.emplace_back();
    links_.emplace_back();
  }
  links.key = &shape_by_key_.emplace(std::move(key), id).first->first;
  shapes_[id.index()] = std::move(shape);
  links_[id.index()] = std::move(links);
  ++idle_shapes_;  // until a pod takes it
  return id;
}

void Cluster::take_shape(ShapeId id) {
  if (links_[id.index()].pods++ == 0) --idle_shapes_;
}

void Cluster::leave_shape(ShapeId id) {
  if (--links_[id.index()].pods == 0) ++idle_shapes_;
}

// ---- pods come, change and go ---------------------------------------------------------------------------------------

PodRecord Cluster::describe(const kube::Pod& pod, NodeName node_name) {
  ensure_namespace(pod.metadata.namespace_);
  PodRecord record;
  record.name_space = symbols_.intern(pod.metadata.namespace_);
  record.shape = intern_shape(pod, node_name);
  record.priority = pod.spec->priority.value_or(0);
  record.preemption_policy = pod.spec->preemption_policy.value_or(kube::PreemptionPolicy::kPreemptLowerPriority);
  record.started = pod.status.start_time;
  record.terminating = pod.metadata.deletion_timestamp.has_value();
  for (const kube::Condition& condition : pod.status.conditions) {
    if (condition.type != "DisruptionTarget") continue;
    record.terminating_by_preemption =
        record.terminating && condition.status == "True" && condition.reason == "PreemptionByScheduler";
    break;
  }
  return record;
}

PodId Cluster::add(const kube::Pod& pod, NodeName node_name) {
  PodRecord record = describe(pod, node_name);
  take_shape(record.shape);
  record.uid = pods_created_++;
  const PodId id = unused_pods_.take(pods_.size());
  if (id.index() == pods_.size()) {
    pods_.emplace_back();
    pod_names_.emplace_back();
  }
  if (const std::string& group = pod.spec->pod_group_name; !group.empty()) {
    record.group = groups_.join(record.name_space, group, id);
  }
  pods_[id.index()] = record;
  count_member(id, 1);
  pod_names_[id.index()] = pod.metadata.name;
  return id;
}

PodId Cluster::add_pod(const kube::Pod& pod) { return add(pod, NodeName::kAsWritten); }

PodId Cluster::add_pod(const kube::Pod& pod, NodeId node) {
  const PodId id = add(pod, NodeName::kLeftOut);
  place(id, node);
  return id;
}

void Cluster::update_pod(PodId pod, const kube::Pod& now) {
  REQUIRES(!undo_.is_open() && pod.index() < pods_.size());
  PodRecord& record = pods_[pod.index()];
  REQUIRES(record.known && pod_name(pod) == now.metadata.name);
  const NodeId node = record.node;
  const PodRecord seen = describe(now, node.valid() ? NodeName::kLeftOut : NodeName::kAsWritten);
  PodRecord after = record;
  after.shape = seen.shape;
  after.priority = seen.priority;
  after.preemption_policy = seen.preemption_policy;
  if (seen.started) after.started = seen.started;
  after.terminating = after.terminating || seen.terminating;
  after.terminating_by_preemption = after.terminating_by_preemption || seen.terminating_by_preemption;
  if (after == record) return;

  ++after.revision;
  take_shape(after.shape);
  leave_shape(record.shape);
  if (node.valid()) account(pod, node, -1);
  count_member(pod, -1);
  record = after;
  count_member(pod, 1);
  if (node.valid()) {
    account(pod, node, 1);
    note(node);
  }
  if (record.nominated.valid()) note(record.nominated);
}

void Cluster::remove_pod(PodId pod) {
  REQUIRES(pod.index() < pods_.size());
  if (!pods_[pod.index()].known) return;
  REQUIRES(!undo_.is_open() || (!pods_[pod.index()].node.valid() && !pods_[pod.index()].nominated.valid()));
  if (pods_[pod.index()].node.valid()) unplace(pod);
  nominate(pod, NodeId{});
  if (pods_[pod.index()].reservation.valid()) reservations_.drop(pods_[pod.index()].reservation, pod);
  leave_shape(pods_[pod.index()].shape);
  count_member(pod, -1);
  if (const GroupId group = pods_[pod.index()].group; group.valid()) groups_.leave(group, pod);
  pods_[pod.index()].group = GroupId{};
  pods_[pod.index()].known = false;
  dead_pods_.push_back(pod);
}

// ---- groups ---------------------------------------------------------------------------------------------------------

bool Cluster::set_pod_group(const kube::PodGroup& group) {
  const Symbol name_space = symbols_.intern(group.metadata.namespace_);
  const kube::MetaCondition* scheduled = kube::find_condition(group.conditions, "PodGroupScheduled");
  const bool has_started = scheduled != nullptr && scheduled->status == "True";
  return groups_
      .describe(name_space, group.metadata.name, {group.metadata.uid, group.min_count.value_or(0), has_started})
      .second;
}

bool Cluster::remove_pod_group(std::string_view name_space, std::string_view name) {
  return groups_.forget(symbols_.find(name_space), name).valid();
}

GroupId Cluster::find_group(std::string_view name_space, std::string_view name) const {
  return groups_.find(symbols_.find(name_space), name);
}

/// Adds what the pod counts for in its group, or subtracts it.
void Cluster::count_member(PodId pod, std::int32_t sign) {
  const PodRecord& record = pods_[pod.index()];
  if (!record.group.valid()) return;
  if (record.terminating) {
    groups_.count_leaving(record.group, sign);
  } else if (record.node.valid()) {
    groups_.count_placed(record.group, sign);
  }
}

// ---- where pods are -------------------------------------------------------------------------------------------------

void Cluster::place(PodId pod, NodeId node) {
  REQUIRES(pod.index() < pods_.size() && pods_[pod.index()].known && is_node(node));
  place_at(pod, node, pods_on(node).size());
  undo_.record({Step::What::kPlaced, pod, node});
  note(node);
}

void Cluster::place_at(PodId pod, NodeId node, std::size_t position) {
  REQUIRES(!pods_[pod.index()].node.valid());
  count_member(pod, -1);
  pods_[pod.index()].node = node;
  count_member(pod, 1);
  auto& pods = pods_on_[node.index()];
  pods.insert(pods.begin() + static_cast<std::ptrdiff_t>(position), pod);
  account(pod, node, 1);
}

void Cluster::unplace(PodId pod) {
  REQUIRES(pod.index() < pods_.size() && pods_[pod.index()].node.valid());
  const NodeId node = pods_[pod.index()].node;
  const std::size_t position = take_off(pod);
  undo_.record({Step::What::kUnplaced, pod, node, position});
  note(node);
}

/// Returns where it stood among the node's pods.
std::size_t Cluster::take_off(PodId pod) {
  const NodeId node = pods_[pod.index()].node;
  REQUIRES(node.valid());
  account(pod, node, -1);
  auto& pods = pods_on_[node.index()];
  const auto found = std::find(pods.begin(), pods.end(), pod);
  const auto position = static_cast<std::size_t>(found - pods.begin());
  pods.erase(found);
  count_member(pod, -1);
  pods_[pod.index()].node = NodeId{};
  count_member(pod, 1);
  return position;
}

void Cluster::nominate(PodId pod, NodeId node) {
  REQUIRES(pod.index() < pods_.size() && (!node.valid() || is_node(node)));
  const NodeId before = pods_[pod.index()].nominated;
  if (!before.valid() && !node.valid()) return;
  const std::size_t position = withdraw_nomination(pod);
  undo_.record({Step::What::kNominated, pod, before, position});
  if (node.valid()) nominate_at(pod, node, nominated_to(node).size());
}

void Cluster::nominate_at(PodId pod, NodeId node, std::size_t position) {
  nominations_.insert(pod, node, position);
  pods_[pod.index()].nominated = node;
  note(node);
}

/// Returns where it stood among the pods nominated to the node. A pod without a nomination stays so.
std::size_t Cluster::withdraw_nomination(PodId pod) {
  const NodeId node = std::exchange(pods_[pod.index()].nominated, NodeId{});
  if (!node.valid()) return 0;
  note(node);
  return nominations_.remove(pod, node);
}

void Cluster::set_started(PodId pod, Instant at) {
  REQUIRES(!undo_.is_open() && pod.index() < pods_.size());
  PodRecord& record = pods_[pod.index()];
  if (record.started == at) return;
  record.started = at;
  if (record.node.valid()) note(record.node);
}

void Cluster::set_terminating(PodId pod, bool by_preemption) {
  REQUIRES(pod.index() < pods_.size());
  const PodRecord& record = pods_[pod.index()];
  Step step{Step::What::kTerminating, pod, record.node};
  step.was_terminating = record.terminating;
  step.was_terminating_by_preemption = record.terminating_by_preemption;
  undo_.record(step);
  set_termination(pod, true, record.terminating_by_preemption || by_preemption);
}

void Cluster::set_termination(PodId pod, bool terminating, bool by_preemption) {
  PodRecord& record = pods_[pod.index()];
  const NodeId node = record.node;
  if (node.valid()) count(pod, node, -1);  // some counters leave out terminating pods
  count_member(pod, -1);
  record.terminating = terminating;
  record.terminating_by_preemption = by_preemption;
  count_member(pod, 1);
  if (!node.valid()) return;
  count(pod, node, 1);
  note(node);
}

/// Adds the pod's usage to the node's, or subtracts it.
void Cluster::account(PodId pod, NodeId node, std::int32_t sign) {
  const PodShape& shape = shape_of(pod);
  const std::size_t n = node.index();
  for (const ResourceAmount& entry : shape.usage) requested_[entry.resource.index()][n] += sign * entry.amount;
  nonzero_cpu_[n] += sign * shape.nonzero_cpu;
  nonzero_memory_[n] += sign * shape.nonzero_memory;
  if (!shape.host_ports.empty()) port_users_[n] += sign;
  count(pod, node, sign);
}

}  // namespace loadline::cluster
