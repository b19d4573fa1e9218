#include "hosts/advice/probe.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/decision/doors.h"
#include "brain/gang/place.h"
#include "foundation/base/contract.h"
#include "hosts/advice/waiting_group.h"

namespace loadline::advice {
namespace {

using cluster::NodeId;
using cluster::PodId;
using decision::Fit;
using decision::Unit;

/// Nodes that are different for a while.
class ChangedNodes {
 public:
  explicit ChangedNodes(cluster::Cluster& cluster) : cluster_(cluster) {}
  ChangedNodes(const ChangedNodes&) = delete;
  ChangedNodes& operator=(const ChangedNodes&) = delete;
  ~ChangedNodes() {
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) cluster_.update_node(node->first, *node->second);
  }

  void change(NodeId id, const kube::Node& before, const kube::Node& after) {
    cluster_.update_node(id, after);
    nodes_.emplace_back(id, &before);
  }

 private:
  cluster::Cluster& cluster_;
  std::vector<std::pair<NodeId, const kube::Node*>> nodes_;
};

/// Whether it matters to the pod, or through it to other pods, which pods are on which node.
bool depends_on_other_pods(const cluster::PodShape& shape) {
  return !shape.required_affinity.empty() || !shape.required_anti_affinity.empty() ||
         std::ranges::any_of(shape.spread, [](const kube::TopologySpreadConstraint& constraint) {
           return constraint.when_unsatisfiable == kube::UnsatisfiableAction::kDoNotSchedule;
         });
}

/// Pods that wait and have their turn before the subject, in the order of the queue.
std::vector<PodId> better_claims(const simulator::Planning& planning, const simulator::SimulatedPod& subject,
                                 std::int32_t priority) {
  std::vector<PodId> pods;
  const cluster::Cluster& cluster = planning.cluster();
  for (const simulator::SimulatedPod& other : planning.pods().list()) {
    if (other.outcome != simulator::PodOutcome::kPending || !other.id.valid() || other.id == subject.id) continue;
    const std::int32_t theirs = cluster.pod(other.id).priority;
    if (std::tuple(-theirs, other.id) < std::tuple(-priority, subject.id)) pods.push_back(other.id);
  }
  std::ranges::stable_sort(pods, std::ranges::greater{}, [&](PodId pod) { return cluster.pod(pod).priority; });
  return pods;
}

/// Those that have their turn before a pod, once.
class ServingFirst {
 public:
  /// `asking` is served later.
  ServingFirst(simulator::Planning& planning, PodId asking)
      : planning_(planning), cluster_(planning.cluster()), asking_(asking) {}

  enum class Served : std::uint8_t { kNone, kSome, kPreempts };
  Served run(const std::vector<PodId>& pods) {
    bool served = false;
    for (const PodId pod : pods) {
      if (cluster_.pod(pod).node.valid()) continue;
      const Served one = cluster_.pod(pod).group.valid() ? serve_group(cluster_.pod(pod).group) : serve(pod);
      if (one == Served::kPreempts) return one;
      served |= one == Served::kSome;
    }
    return served ? Served::kSome : Served::kNone;
  }

 private:
  Served serve(PodId pod) {
    const std::pair kind{cluster_.pod(pod).shape, cluster_.pod(pod).priority};
    if (refused_.contains(kind)) return Served::kNone;
    const Served served = fit(Unit(pod), {&pod, 1});
    if (served != Served::kNone) return served;
    refused_.insert(kind);
    return Served::kNone;
  }

  /// Whole or not at all.
  Served serve_group(cluster::GroupId group) {
    if (!asked_.insert(group).second) return Served::kNone;
    std::vector<PodId> members = waiting_members(planning_, group);
    std::erase(members, asking_);
    if (members.empty() || planning_.scheduler().gate(members.front())) return Served::kNone;
    return fit(Unit(group), members);
  }

  Served fit(Unit unit, std::span<const PodId> pods) {
    switch (planning_.dispatcher().fit(unit, pods, {.asks_for_victims = true})) {
      case Fit::kYes:
        return Served::kSome;
      case Fit::kAfterEvictions:
        return Served::kPreempts;
      case Fit::kNo:
        break;
    }
    return Served::kNone;
  }

  simulator::Planning& planning_;
  cluster::Cluster& cluster_;
  PodId asking_;
  std::set<std::pair<cluster::ShapeId, std::int32_t>> refused_;
  std::set<cluster::GroupId> asked_;
};

/// Lets them take what the edits made free, as the scheduler would, until no pod finds a node any more. False: one of
/// them would preempt, and what comes of that no single decision can tell.
bool serve_first(simulator::Planning& planning, PodId asking, const std::vector<PodId>& pods) {
  using Served = ServingFirst::Served;
  // Another pod's affinity may be satisfied by those that were served.
  Served served = Served::kSome;
  while (served == Served::kSome) served = ServingFirst(planning, asking).run(pods);
  return served == Served::kNone;
}

void change_nodes(const std::vector<kube::Node>& nodes, const Remedy& remedy, ChangedNodes& changed) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (std::ranges::none_of(remedy, [&](const Edit& edit) { return is_about(edit, nodes[i]); })) continue;
    kube::Node after = nodes[i];
    for (const Edit& edit : remedy) after = edited(edit, std::move(after));
    changed.change(NodeId{i}, nodes[i], after);
  }
}

/// The pod as the edits make it.
kube::Pod variant_of(const kube::Pod& pod, const Remedy& remedy) {
  kube::Pod variant = pod;
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  for (const Edit& edit : remedy) apply(edit, *spec);
  variant.spec = std::move(spec);
  return variant;
}

/// A remedy that only imagined() can have made a candidate of.
bool is_one_imagined(const Remedy& remedy) {
  const AddNodes* edit = remedy.size() == 1 ? std::get_if<AddNodes>(&remedy.front()) : nullptr;
  return edit != nullptr && edit->nodes.count == 1 && edit->nodes.like() != nullptr;
}

}  // namespace

bool can_probe(const Remedy& remedy) {
  return std::ranges::none_of(remedy, [](const Edit& edit) {
    const Scale* scale = std::get_if<Scale>(&edit);  // a controller chooses which pods go
    return reach_of(edit) == Reach::kInput || (scale != nullptr && scale->workload.kind != "Pod");
  });
}

bool can_imagine(const simulator::Planning& planning, std::size_t subject, const capacity::NodeTemplate& nodes) {
  if (nodes.like() == nullptr || nodes.count != 1) return false;
  const cluster::Cluster& cluster = planning.cluster();
  const NodeId like = cluster.find_node(*nodes.like());
  REQUIRES(like.valid());
  if (cluster.facts(like).unschedulable) return false;
  for (const kube::Taint& taint : planning.objects().of<kube::Node>()[like.index()].taints) {
    if (taint.key.starts_with("node.kubernetes.io/")) return false;
  }
  const simulator::SimulatedPod& asking = planning.pods()[subject];
  std::vector<PodId> asked = better_claims(planning, asking, cluster.pod(asking.id).priority);
  asked.push_back(asking.id);
  const auto modest = [&](PodId pod) { return !depends_on_other_pods(cluster.shape_of(pod)); };
  return std::ranges::all_of(asked, modest) && std::ranges::all_of(cluster.pods_on(like), modest);
}

UntriedRemedy imagined(const simulator::Planning& planning, const capacity::NodeTemplate& nodes) {
  REQUIRES(nodes.count == 1 && nodes.like() != nullptr);
  UntriedRemedy candidate{{AddNodes{nodes}}, {}, 0};
  const cluster::Cluster& cluster = planning.cluster();
  const NodeId like = cluster.find_node(*nodes.like());
  REQUIRES(like.valid());
  for (const PodId pod : cluster.pods_on(like)) {
    const std::optional<kube::OwnerReference>& controller = cluster.shape_of(pod).controller;
    if (!controller || controller->kind != "DaemonSet") candidate.leaving.push_back(pod);
  }
  return candidate;
}

std::optional<Probed> probe(simulator::Planning& planning, std::size_t subject, const UntriedRemedy& candidate) {
  cluster::Cluster& cluster = planning.cluster();
  const simulator::SimulatedPod& asking = planning.pods()[subject];
  REQUIRES(can_probe(candidate.remedy) || is_one_imagined(candidate.remedy));
  const kube::Pod variant = variant_of(asking.pod, candidate.remedy);
  if (planning.scheduler().profile(variant.spec->scheduler_name) == nullptr) return std::nullopt;

  ChangedNodes changed(cluster);
  change_nodes(planning.objects().of<kube::Node>(), candidate.remedy, changed);
  const cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
  for (const PodId pod : candidate.leaving) cluster.unplace(pod);
  if (asking.id.valid()) cluster.nominate(asking.id, NodeId{});
  if (!std::ranges::all_of(candidate.remedy, edits_pod)) {
    const std::vector<PodId> first = better_claims(planning, asking, variant.spec->priority.value_or(0));
    if (!serve_first(planning, asking.id, first)) return std::nullopt;
  }

  simulator::Planning::Answer answer = planning.ask_about(variant);
  Probed probed;
  if (answer.decision.preemption.node.valid()) {
    // Who leaves with them is decided by more than this one decision.
    const std::vector<PodId>& victims = answer.decision.preemption.chosen()->victims;
    if (planning.breaks_up_groups(victims, variant.spec->priority.value_or(0))) return std::nullopt;
    // Once the victims are gone, those with a better claim may take their room.
    for (const PodId victim : victims) {
      const simulator::SimulatedPods& pods = planning.pods();
      if (pods[pods.index_of(victim)].workload == asking.workload) return std::nullopt;  // nothing won
      probed.victims.push_back(cluster.pod_text(victim));
      cluster.unplace(victim);
    }
    const std::vector<PodId> first = better_claims(planning, asking, variant.spec->priority.value_or(0));
    if (!serve_first(planning, asking.id, first)) return std::nullopt;
    answer = planning.ask_about(variant);
  }
  if (!answer.decision.attempt.scheduled() || !answer.may_stay) return std::nullopt;
  probed.node = cluster.node_name(answer.decision.attempt.node);
  return probed;
}

}  // namespace loadline::advice
