#include "recorded_decisions/replayed_cluster.h"

#include <utility>

#include "foundation/base/contract.h"
#include "hosts/simulator/intake.h"

namespace loadline::recorded_decisions {

using cluster::NodeId;
using cluster::PodId;

Result<void> ReplayedCluster::fill() {
  const kube::Objects& objects = recorded_.cluster;
  simulator::fill_cluster(objects, cluster_);
  for (const kube::Node& each : objects.of<kube::Node>()) node_objects_[cluster_.find_node(each.metadata.name)] = &each;
  cluster_.volumes().leave_binding_to_others();
  for (const auto& claim : objects.of<kube::PersistentVolumeClaim>()) cluster_.volumes().add(claim);
  std::vector<cluster::DisruptionBudget> budgets;
  for (const kube::PodDisruptionBudget& budget : objects.of<kube::PodDisruptionBudget>()) {
    budgets.push_back(cluster::compile_budget(budget, budget.disruptions_allowed.value_or(0), cluster_.symbols()));
  }
  cluster_.set_budgets(std::move(budgets));
  for (const std::vector<kube::Pod>* pods : {&objects.of<kube::Pod>(), &recorded_.pending}) {
    for (const kube::Pod& pod : *pods) {
      if (const Result<void> added = add_pod(pod); !added) return added;
    }
  }
  return {};
}

Result<void> ReplayedCluster::add_pod(const kube::Pod& pod) {
  const std::string name = pod.metadata.namespace_ + '/' + pod.metadata.name;
  const auto [entry, fresh] = pods_.try_emplace(name, PodId{});
  if (!fresh) return failure("pod " + name + " comes twice");
  entry->second = cluster_.add_pod(pod);
  pod_objects_[entry->second] = &pod;
  const std::string& bound_to = pod.spec->node_name;
  if (bound_to.empty()) return {};
  if (const NodeId there = cluster_.find_node(bound_to); there.valid()) {
    cluster_.place(entry->second, there);
  } else {
    waiting_for_node_.emplace(bound_to, entry->second);
  }
  return {};
}

Result<PodId> ReplayedCluster::pod(const std::string& name) const {
  const auto found = pods_.find(name);
  if (found == pods_.end()) return failure("there is no pod " + name);
  return found->second;
}

Result<NodeId> ReplayedCluster::node(std::string_view name) const {
  const NodeId found = cluster_.find_node(name);
  if (!found.valid()) return failure("there is no node " + std::string(name));
  return found;
}

Result<void> ReplayedCluster::remove_pod(const std::string& name) {
  const Result<PodId> found = pod(name);
  if (!found) return tl::unexpected(found.error());
  std::erase_if(waiting_for_node_, [&](const auto& entry) { return entry.second == *found; });
  nominations_.erase(*found);
  cluster_.remove_pod(*found);
  pods_.erase(name);
  return {};
}

// ---- events ---------------------------------------------------------------------------------------------------------

Result<void> ReplayedCluster::advance_to(int sequence) {
  for (; next_event_ < recorded_.events.size(); ++next_event_) {
    const RecordedEvent& event = recorded_.events[next_event_];
    if (event.before_attempt > sequence) break;
    const Result<void> done = std::visit([this](const auto& change) { return apply(change); }, event.change);
    if (!done) {
      return failure("event before attempt " + std::to_string(event.before_attempt) + ": " + done.error().message);
    }
  }
  return {};
}

Result<void> ReplayedCluster::apply(const UpdatedNode& event) {
  const Result<NodeId> there = node(event.node.metadata.name);
  if (!there) return tl::unexpected(there.error());
  cluster_.update_node(*there, event.node);
  node_objects_[*there] = &event.node;
  return {};
}

Result<void> ReplayedCluster::apply(const AddedNode& event) {
  const std::string& name = event.node.metadata.name;
  if (node(name)) return failure("node " + name + " is there already");
  const NodeId added = cluster_.add_node(event.node);
  node_objects_[added] = &event.node;
  const auto [first, last] = waiting_for_node_.equal_range(name);
  for (auto entry = first; entry != last; ++entry) cluster_.place(entry->second, added);
  waiting_for_node_.erase(first, last);
  return {};
}

Result<void> ReplayedCluster::apply(const AddedPodGroup& event) {
  cluster_.set_pod_group(event.group);
  return {};
}

Result<void> ReplayedCluster::apply(const DeletedPodGroup& event) {
  const std::size_t slash = event.group.find('/');
  if (slash == std::string::npos) return failure("\"" + event.group + "\" is not of the form namespace/name");
  cluster_.remove_pod_group(event.group.substr(0, slash), event.group.substr(slash + 1));
  return {};
}

Result<void> ReplayedCluster::apply(const UpdatedNamespace& event) {
  cluster_.set_namespace(event.name_space.metadata.name, event.name_space.metadata.labels);
  return {};
}

// ---- decisions ------------------------------------------------------------------------------------------------------

Result<void> ReplayedCluster::set_nominations(const RecordedAttempt& attempt) {
  std::map<PodId, NodeId> wanted;
  const auto nominate = [&](const std::string& name, std::string_view to) -> Result<void> {
    const Result<PodId> nominated = pod(name);
    if (!nominated) return failure("nomination: " + nominated.error().message);
    const NodeId where = cluster_.find_node(to);
    if (where.valid()) wanted[*nominated] = where;  // a nomination to a node that is gone counts for nothing
    return {};
  };
  if (!attempt.nominated_before.empty()) {
    if (const Result<void> done = nominate(attempt.pod, attempt.nominated_before); !done) return done;
  }
  for (const std::string& other : attempt.other_nominated) {
    const std::size_t at = other.rfind('@');
    if (at == std::string::npos) return failure("nomination \"" + other + "\" is not of the form pod@node");
    if (const Result<void> done = nominate(other.substr(0, at), other.substr(at + 1)); !done) return done;
  }
  for (const auto& [pod, node] : nominations_) {
    if (!wanted.contains(pod)) cluster_.nominate(pod, NodeId{});
  }
  for (const auto& [pod, node] : wanted) {
    if (cluster_.pod(pod).nominated != node) cluster_.nominate(pod, node);
  }
  nominations_ = std::move(wanted);
  return {};
}

Result<std::pair<PodId, NodeId>> ReplayedCluster::to_place(const std::string& name, int index) const {
  const Result<PodId> placed = pod(name);
  if (!placed) return tl::unexpected(placed.error());
  if (cluster_.pod(*placed).node.valid()) return failure("the pod is on a node already");
  const Result<NodeId> there = node(recorded_.node_names[static_cast<std::size_t>(index)]);
  if (!there) return tl::unexpected(there.error());
  return std::pair(*placed, *there);
}

Result<void> ReplayedCluster::bind(const std::string& name, int index) {
  const auto placement = to_place(name, index);
  if (!placement) return tl::unexpected(placement.error());
  const auto [bound, there] = *placement;
  constexpr std::int64_t kFirstBinding = 1767225600;  // 2026-01-01T00:00:00Z
  if (nominations_.erase(bound) > 0) cluster_.nominate(bound, NodeId{});
  cluster_.place(bound, there);
  cluster_.set_started(bound, Instant{(kFirstBinding + ++bindings_) * 1'000'000'000});
  return {};
}

void ReplayedCluster::take(const RecordedVolumes& updates) {
  for (const auto& volume : updates.volumes) cluster_.volumes().add(volume);
  for (const auto& claim : updates.claims) cluster_.volumes().add(claim);
}

Result<void> ReplayedCluster::remove(const std::vector<std::string>& victims) {
  for (const std::string& victim : victims) {
    if (const Result<void> gone = remove_pod(victim); !gone) return failure("victim: " + gone.error().message);
  }
  return {};
}

Result<void> ReplayedCluster::carry_out(const RecordedAttempt& attempt) {
  if (attempt.node) {
    if (const Result<void> bound = bind(attempt.pod, *attempt.node); !bound) return bound;
  }
  take(attempt.volume_updates);
  return remove(attempt.victims);
}

// ---- groups ---------------------------------------------------------------------------------------------------------

void ReplayedCluster::begin_group_cycle() {
  tentative_.emplace(cluster_);
  tentative_->nominations = nominations_;
}

Result<void> ReplayedCluster::assume(const RecordedAttempt& attempt, placement::Scheduler& scheduler) {
  REQUIRES(tentative_.has_value());
  if (!attempt.assumed) return {};
  const auto placement = to_place(attempt.pod, *attempt.assumed);
  if (!placement) return tl::unexpected(placement.error());
  const auto [assumed, there] = *placement;
  if (nominations_.erase(assumed) > 0) cluster_.nominate(assumed, NodeId{});
  scheduler.reserve(assumed, there);
  cluster_.place(assumed, there);
  return {};
}

void ReplayedCluster::end_group_cycle() {
  nominations_ = std::move(tentative_->nominations);
  tentative_.reset();
  static_cast<void>(cluster_.volumes().take_choices());  // the recording says what becomes of them
}

Result<void> ReplayedCluster::carry_out(const RecordedGroupCycle& cycle, std::span<const RecordedAttempt> attempts) {
  for (const RecordedAttempt& attempt : attempts) {
    if (const Result<void> gone = remove(attempt.victims); !gone) return gone;
  }
  for (const RecordedMember& member : cycle.members) {
    if (member.node) {
      if (const Result<void> bound = bind(member.pod, *member.node); !bound) return bound;
    }
    take(member.volume_updates);
  }
  return {};
}

}  // namespace loadline::recorded_decisions
