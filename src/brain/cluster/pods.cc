// The part of Cluster that keeps pods: their shapes, where they are, and what they use there.
#include <algorithm>
#include <utility>

#include "brain/cluster/cluster.h"
#include "brain/cluster/facts/topology_annotations.h"
#include "brain/cluster/shapes/shape_compiler.h"
#include "brain/cluster/shapes/shape_key.h"
#include "brain/cluster/spellings/kubernetes.h"
#include "brain/cluster/spellings/membership.h"
#include "foundation/base/contract.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/preemption_annotations.h"

namespace loadline::cluster {

ShapeId Cluster::intern_shape(const kube::Pod& pod, NodeNamePart node_name) {
  const std::string& key = shapes_.key_of(pod, node_name);
  if (const ShapeId known = shapes_.find(key); known.valid()) return known;
  std::unique_ptr<PodShape> shape = compile_shape(pod, *this);
  if (node_name == NodeNamePart::kLeftOut) shape->required_node_name = Symbol{};
  widen_requests();
  const ShapeId id = shapes_.add(key, std::move(shape));
  counts_.add_shape(id);
  return id;
}

// ---- pods come, change and go ---------------------------------------------------------------------------------------

namespace {

Symbol workload_of(const kube::Pod& pod, SymbolTable& symbols) {
  const auto named = pod.metadata.annotations.find(kube::kWorkloadAnnotation);
  return named == pod.metadata.annotations.end() ? Symbol{} : symbols.intern(named->second);
}

}  // namespace

PodRecord Cluster::describe(const kube::Pod& pod, NodeNamePart node_name) {
  namespaces_.ensure(pod.metadata.namespace_);
  PodRecord record;
  record.name_space = symbols_.intern(pod.metadata.namespace_);
  record.shape = intern_shape(pod, node_name);
  record.priority = pod.spec->priority.value_or(0);
  record.preemption_policy = pod.spec->preemption_policy.value_or(kube::PreemptionPolicy::kPreemptLowerPriority);
  record.workload = workload_of(pod, symbols_);
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

namespace {

/// Whether the pod may say anything of its run: one without metadata and a deadline does not.
bool may_have_run_facts(const kube::Pod& pod) {
  return !pod.metadata.annotations.empty() || !pod.metadata.labels.empty() || pod.spec->active_deadline_seconds;
}

RunFacts run_facts_of(const kube::Pod& pod) {
  return {kube::expected_run(pod), kube::last_checkpoint(pod), kube::minimum_run(pod)};
}

}  // namespace

const RunFacts& Cluster::run_facts(PodId pod) const {
  static const RunFacts kNone;
  return slot(pod) < run_facts_.size() ? run_facts_[pod.index()] : kNone;
}

/// The column is as long as the last pod that has any needs it to be.
void Cluster::keep_run_facts(PodId pod, const RunFacts& facts) {
  if (run_facts_.size() <= pod.index()) {
    if (facts == RunFacts{}) return;
    run_facts_.resize(pods_.size());
  }
  run_facts_[pod.index()] = facts;
}

PodId Cluster::add(const kube::Pod& pod, NodeNamePart node_name) {
  PodRecord record = describe(pod, node_name);
  shapes_.take(record.shape);
  record.uid = pods_created_++;
  const PodId id = unused_pods_.take(pods_.size());
  if (id.index() == pods_.size()) {
    pods_.emplace_back();
    pod_names_.emplace_back();
  }
  pods_[id.index()] = record;
  workload_pods_.add(record.name_space, record.workload, id);
  if (may_have_run_facts(pod) || id.index() < run_facts_.size()) keep_run_facts(id, run_facts_of(pod));
  join_group(id, pod);
  pod_names_[id.index()] = pod.metadata.name;
  return id;
}

PodId Cluster::add_pod(const kube::Pod& pod) { return add(pod, NodeNamePart::kIncluded); }

PodId Cluster::add_pod(const kube::Pod& pod, NodeId node) {
  const PodId id = add(pod, NodeNamePart::kLeftOut);
  place(id, node);
  return id;
}

void Cluster::update_pod(PodId pod, const kube::Pod& now) {
  REQUIRES(!undo_.is_open() && pod.index() < pods_.size());
  PodRecord& record = pods_[pod.index()];
  REQUIRES(record.known && pod_name(pod) == now.metadata.name);
  const NodeId node = record.node;
  follow_group(pod, now);
  const PodRecord seen = describe(now, node.valid() ? NodeNamePart::kLeftOut : NodeNamePart::kIncluded);
  PodRecord after = record;
  after.shape = seen.shape;
  after.priority = seen.priority;
  after.workload = seen.workload;
  after.preemption_policy = seen.preemption_policy;
  if (seen.started) after.started = seen.started;
  after.terminating = after.terminating || seen.terminating;
  after.terminating_by_preemption = after.terminating_by_preemption || seen.terminating_by_preemption;
  const RunFacts facts = run_facts_of(now);
  if (after == record && facts == run_facts(pod)) return;

  keep_run_facts(pod, facts);
  ++after.revision;
  if (after.workload != record.workload) {
    workload_pods_.remove(record.name_space, record.workload, pod);
    workload_pods_.add(record.name_space, after.workload, pod);
  }
  shapes_.take(after.shape);
  shapes_.leave(record.shape);
  if (node.valid()) account(pod, node, -1);
  count_member(pod, -1);
  count_later(pod, -1);
  record = after;
  count_member(pod, 1);
  count_later(pod, 1);
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
  leave_group(pod);
  workload_pods_.remove(pods_[pod.index()].name_space, pods_[pod.index()].workload, pod);
  shapes_.leave(pods_[pod.index()].shape);
  pods_[pod.index()].known = false;
  dead_pods_.push_back(pod);
}

std::span<const PodId> Cluster::pods_of_workload(std::string_view name_space, std::string_view name) const {
  return workload_pods_.of(symbols_.find(name_space), symbols_.find(name));
}

// ---- groups ---------------------------------------------------------------------------------------------------------

bool Cluster::set_group(const GroupDescription& description) {
  REQUIRES(!undo_.is_open());
  const auto [id, is_new] = groups_.describe(symbols_.intern(description.name_space), description);
  if (groups_.at(id).rules.later.empty()) return is_new;
  for (const PodId pod : groups_.at(id).members) count_later(pod, 1);
  return is_new;
}

bool Cluster::set_pod_group(const kube::PodGroup& group) { return set_group(spellings::describe(group, symbols_)); }

bool Cluster::remove_group(std::string_view name_space, const GroupName& group) {
  REQUIRES(!undo_.is_open());
  return groups_.forget(symbols_.find(name_space), group).valid();
}

GroupId Cluster::add_succeeded(std::string_view name_space, const GroupName& group, const SucceededPod& pod) {
  REQUIRES(!undo_.is_open());
  return groups_.add_succeeded(symbols_.intern(name_space), group, pod, symbols_);
}

GroupId Cluster::remove_succeeded(std::string_view name_space, const GroupName& group, std::string_view pod) {
  REQUIRES(!undo_.is_open());
  return groups_.remove_succeeded(symbols_.intern(name_space), group, pod, symbols_);
}

std::pair<GroupId, bool> Cluster::record_succeeded(std::string_view name_space, const GroupName& group,
                                                   const SuccessRecord& record) {
  REQUIRES(!undo_.is_open());
  return groups_.record_succeeded(symbols_.intern(name_space), group, record, symbols_);
}

void Cluster::join_group(PodId pod, const kube::Pod& object) {
  const std::optional<GroupName> name = spellings::group_of(object);
  if (!name) return;
  const std::optional<GroupDescription> said = spellings::described_by(*name, object.metadata);
  PodRecord& record = pods_[pod.index()];
  record.group = groups_.join(record.name_space, *name, pod, said ? &*said : nullptr);
  groups_.ask(record.group, topology_wish(object.metadata));
  count_member(pod, 1);
  count_later(pod, 1);
}

void Cluster::leave_group(PodId pod) {
  if (!pods_[pod.index()].group.valid()) return;
  count_member(pod, -1);
  count_later(pod, -1);
  groups_.leave(std::exchange(pods_[pod.index()].group, GroupId{}), pod);
}

/// Labels and annotations may name another group by now.
void Cluster::follow_group(PodId pod, const kube::Pod& now) {
  if (pods_[pod.index()].reservation.valid()) return;
  const std::optional<GroupName> name = spellings::group_of(now);
  const GroupId before = pods_[pod.index()].group;
  if (!before.valid() && !name) return;
  if (before.valid() && name) {
    const PodGroup& group = groups_.at(before);
    if (group.spelling == name->spelling && group.name == name->name) return;
  }
  leave_group(pod);
  join_group(pod, now);
}

bool Cluster::set_topology(std::string_view name, TopologySpec spec) {
  REQUIRES(!undo_.is_open());
  return topologies_.set(name, std::move(spec));
}

bool Cluster::remove_topology(std::string_view name) {
  REQUIRES(!undo_.is_open());
  return topologies_.remove(name);
}

void Cluster::set_group_started(GroupId id, GroupStart with) {
  REQUIRES(!undo_.is_open());
  groups_.set_started(id, std::move(with));
}

GroupId Cluster::find_group(std::string_view name_space, const GroupName& group) const {
  return groups_.find(symbols_.find(name_space), group);
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

std::optional<LaterCopy> Cluster::later_copy_of(PodId pod) const {
  const PodRecord& record = pods_[pod.index()];
  if (!record.group.valid()) return std::nullopt;
  const std::vector<LaterPart>& later = groups_.at(record.group).rules.later;
  if (later.empty()) return std::nullopt;
  const LabelSet& labels = shapes_.at(record.shape).labels;
  const auto part =
      std::ranges::find_if(later, [&](const LaterPart& each) { return each.selector.matches(labels, symbols_); });
  if (part == later.end()) return std::nullopt;
  const Symbol copy = part->copy_label.valid() ? labels.find(part->copy_label) : Symbol{};
  return LaterCopy(static_cast<std::size_t>(part - later.begin()), copy);
}

/// Adds a member that stays to the later part that it is of, if it is of one, or takes it away.
void Cluster::count_later(PodId pod, std::int32_t sign) {
  if (pods_[pod.index()].terminating) return;
  if (const auto copy = later_copy_of(pod)) groups_.count_later(pods_[pod.index()].group, *copy, sign);
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
  requests_.insert(pod, node, position);
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
  const std::size_t position = requests_.remove(pod, node);
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

void Cluster::set_expected_run(PodId pod, std::optional<Duration> span) {
  REQUIRES(!undo_.is_open() && pod.index() < pods_.size());
  RunFacts facts = run_facts(pod);
  facts.expected = span;
  keep_run_facts(pod, facts);
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
  if (node.valid()) counts_.count(record, node, -1);  // some counters leave out terminating pods
  count_member(pod, -1);
  count_later(pod, -1);
  record.terminating = terminating;
  record.terminating_by_preemption = by_preemption;
  count_member(pod, 1);
  count_later(pod, 1);
  if (!node.valid()) return;
  counts_.count(record, node, 1);
  note(node);
}

/// Adds what the pod takes on the node to the ledgers, or subtracts it.
void Cluster::account(PodId pod, NodeId node, std::int32_t sign) {
  requests_.count(shape_of(pod), node, sign);
  counts_.count(pods_[pod.index()], node, sign);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void Cluster::reclaim() {
  reclaim_pods();
  shapes_.reclaim([&](ShapeId id) {
    counts_.forget_shape(id);
    memo_of(id) = {};
  });
  counts_.reclaim();
  shapes_.forget_unshared_specs();
}

void Cluster::reclaim_pods() {
  for (const PodId pod : dead_pods_) {
    pods_[pod.index()] = {};
    pods_[pod.index()].known = false;
    pod_names_[pod.index()] = {};
    unused_pods_.give_back(pod);
  }
  dead_pods_.clear();
}

}  // namespace loadline::cluster
