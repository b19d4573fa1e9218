#include "brain/workloads/replacement.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <tuple>

#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/controller.h"
#include "brain/workloads/job.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/names.h"
#include "brain/workloads/pod_set.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/volcano/pod_group.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

/// Nothing is nested deeper; what refers to itself in a circle ends here.
constexpr std::size_t kMostLevels = 8;

WorkloadReference reference_to(const kube::OwnerReference& controller, const std::string& name_space) {
  return {std::string(kind_of(controller)), name_space, controller.name};
}

bool is_of(const kube::Pod& pod, const WorkloadReference& controller) {
  const kube::OwnerReference* const reference = pod.metadata.controller();
  return reference != nullptr && reference->name == controller.name && kind_of(*reference) == controller.kind;
}

/// What the name was generated from: generateName, or else the name less its last word (and five characters at most).
std::string base_of(const kube::ObjectMeta& metadata) {
  if (!metadata.generate_name.empty()) return metadata.generate_name;
  const std::size_t dash = metadata.name.rfind('-');
  return dash == std::string::npos ? metadata.name + "-" : metadata.name.substr(0, dash + 1);
}

/// Counted from the end, so that no replacement takes a name that expansion gives.
std::string name_of(const std::string& base, const WorkloadReference& controller, std::uint64_t seed,
                    std::uint64_t number) {
  return Names(seed, controller.to_string()).generate(base, kSuffixes - 1 - number % kSuffixes);
}

/// Of the pods that the controller lacks, the one that takes the place of the lost one; null if none does.
CreatedPod* successor(const kube::Pod& gone, const WorkloadReference& owner, const WorkloadReference& controller,
                      std::vector<CreatedPod>& created) {
  const std::string role = role_of(owner, gone.metadata);
  const auto likeness = [&](const kube::Pod& pod) {
    return std::tuple(pod.metadata.name == gone.metadata.name,
                      completion_index(pod.metadata) == completion_index(gone.metadata));
  };
  CreatedPod* best = nullptr;
  for (CreatedPod& each : created) {
    if (!is_of(each.pod, controller) || role_of(owner, each.pod.metadata) != role) continue;
    if (best == nullptr || likeness(each.pod) > likeness(best->pod)) best = &each;
  }
  return best;
}

/// The claims that the pod's volumes name.
std::vector<kube::PersistentVolumeClaim> claims_of(const kube::Pod& pod,
                                                   std::vector<kube::PersistentVolumeClaim> claims) {
  std::erase_if(claims, [&](const kube::PersistentVolumeClaim& claim) {
    return std::ranges::none_of(pod.spec->volumes, [&](const kube::Volume& volume) {
      return volume.persistent_volume_claim && volume.persistent_volume_claim->claim_name == claim.metadata.name;
    });
  });
  return claims;
}

Replacement copy_of(const kube::Pod& gone, const WorkloadReference& controller, std::uint64_t seed,
                    std::uint64_t number) {
  kube::Pod pod;
  pod.metadata = gone.metadata;
  pod.metadata.uid.clear();
  pod.metadata.creation_timestamp.reset();
  pod.metadata.deletion_timestamp.reset();
  pod.metadata.deletion_grace_period_seconds.reset();
  pod.spec = gone.spec;
  if (!gone.spec->node_name.empty()) {
    auto spec = std::make_shared<kube::PodSpec>(*gone.spec);
    spec->node_name.clear();
    pod.spec = std::move(spec);
  }
  if (controller.kind != "StatefulSet") {
    pod.metadata.generate_name = base_of(gone.metadata);
    pod.metadata.name = name_of(pod.metadata.generate_name, controller, seed, number);
  }
  return {std::move(pod), {}};
}

void join_group(kube::Pod& pod, const cluster::GroupName& group) {
  if (group.spelling == cluster::GroupSpelling::kVolcano) {
    pod.metadata.annotations.insert_or_assign(std::string(kube::kGroupNameAnnotation), group.name);
    return;
  }
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  spec->pod_group_name = group.name;
  pod.spec = std::move(spec);
}

}  // namespace

Replacements::Replacements(const kube::Objects& objects, const kube::Objects& made, std::uint64_t seed)
    : objects_(objects), seed_(seed), owners_(objects) {
  for_each_kind([&]<class Kind>() {
    const std::vector<Kind>& list = objects.of<Kind>();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const kube::ObjectMeta& metadata = list[i].metadata;
      places_.emplace(WorkloadReference{std::string(kind_name<Kind>()), metadata.namespace_, metadata.name}, i);
    }
  });
  add_joined_groups(objects);
  add_joined_groups(made);
}

void Replacements::add_joined_groups(const kube::Objects& objects) {
  const auto add = [&](cluster::GroupSpelling spelling, const kube::ObjectMeta& metadata) {
    if (metadata.controller() == nullptr) return;
    joined_groups_.emplace(metadata.namespace_, cluster::GroupName{spelling, metadata.name});
  };
  for (const auto& group : objects.of<kube::PodGroup>()) add(cluster::GroupSpelling::kKubernetes, group.metadata);
  for (const auto& group : objects.of<kube::VolcanoPodGroup>()) add(cluster::GroupSpelling::kVolcano, group.metadata);
}

const std::vector<const kube::Pod*>* Replacements::finished_of(const WorkloadReference& owner) const {
  if (!finished_) {
    finished_.emplace();
    for (const kube::Pod& pod : objects_.of<kube::Pod>()) {
      if (pod.finished()) (*finished_)[owners_.owner_of(pod)].push_back(&pod);
    }
  }
  const auto found = finished_->find(owner);
  return found == finished_->end() ? nullptr : &found->second;
}

namespace {

/// Whether a pod that was evicted does not count as a failure of its Job: the first rule that speaks of it decides.
bool ignores_disruptions(const kube::JobSpec& spec) {
  if (!spec.pod_failure_policy) return false;
  for (const kube::PodFailurePolicyRule& rule : spec.pod_failure_policy->rules) {
    for (const kube::PodFailurePolicyOnPodCondition& condition : rule.on_pod_conditions) {
      if (condition.type == "DisruptionTarget" && condition.status == "True") return rule.action == "Ignore";
    }
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> Replacements::losses_left(const kube::Pod& lost) const {
  constexpr std::int64_t kDefaultLimit = 6;
  const kube::OwnerReference* const controller = lost.metadata.controller();
  if (controller == nullptr || kind_of(*controller) != "Job") return std::nullopt;
  const auto place = places_.find(reference_to(*controller, lost.metadata.namespace_));
  if (place == places_.end()) return std::nullopt;
  const kube::Job& job = objects_.of<kube::Job>()[place->second];
  if (job.spec.backoff_limit_per_index || ignores_disruptions(job.spec)) return std::nullopt;
  return job.spec.backoff_limit.value_or(kDefaultLimit) - job.status.failed;
}

bool Replacements::follows_at_once(const kube::Pod& leaving) const {
  const kube::OwnerReference* const controller = leaving.metadata.controller();
  if (controller == nullptr) return false;
  const std::string_view kind = kind_of(*controller);
  if (kind == "ReplicaSet" || kind == "ReplicationController") return true;
  if (kind != "Job") return false;
  const auto place = places_.find(reference_to(*controller, leaving.metadata.namespace_));
  return place == places_.end() || objects_.of<kube::Job>()[place->second].spec.pod_replacement_policy != "Failed";
}

std::vector<WorkloadReference> Replacements::levels_between(const WorkloadReference& controller,
                                                            const WorkloadReference& owner) const {
  std::vector<WorkloadReference> levels = {controller};
  while (levels.back() != owner && levels.size() < kMostLevels) {
    levels.push_back(owners_.above(levels.back()).value_or(owner));
  }
  return levels;
}

Expansion Replacements::made_by(const WorkloadReference& workload, const View& view) const {
  Expansion expansion;
  if (!is_known(workload)) return expansion;
  for_kind(workload.kind, [&]<class Kind>() {
    const Kind& object = objects_.of<Kind>()[places_.at(workload)];
    if (!object.metadata.deletion_timestamp) expand(object, view, expansion);
  });
  return expansion;
}

/// What controllers do not say, since they are asked anew: the name, and the group that they had the lost pod join.
Replacement Replacements::completed(kube::Pod pod, const kube::Pod& gone, const WorkloadReference& controller,
                                    std::uint64_t number) const {
  kube::ObjectMeta& metadata = pod.metadata;
  if (!metadata.generate_name.empty()) metadata.name = name_of(metadata.generate_name, controller, seed_, number);
  const std::optional<cluster::GroupName> group = cluster::spellings::group_of(gone);
  const bool has_joined = group && joined_groups_.contains({metadata.namespace_, *group});
  if (has_joined && !cluster::spellings::group_of(pod)) join_group(pod, *group);
  return {std::move(pod), {}};
}

bool Replacements::may_follow(const kube::Pod& gone) {
  const kube::OwnerReference* const controller = gone.metadata.controller();
  return controller != nullptr && controller->kind != "Node";
}

std::optional<Replacement> Replacements::replace(const kube::Pod& gone, const WorkloadReference& owner,
                                                 std::vector<const kube::Pod*> siblings, std::uint64_t number) const {
  if (!may_follow(gone)) return std::nullopt;
  const WorkloadReference controller = reference_to(*gone.metadata.controller(), gone.metadata.namespace_);
  if (const auto* const finished = finished_of(owner)) {
    siblings.insert(siblings.end(), finished->begin(), finished->end());
  }
  const ExistingPods existing(owner, std::move(siblings));
  const View view{objects_, owners_, existing, {}, seed_, nullptr, &gone};
  bool any_is_known = false;
  bool makes_others = false;
  for (const WorkloadReference& level : levels_between(controller, owner)) {
    any_is_known |= is_known(level);
    Expansion expansion = made_by(level, view);
    if (CreatedPod* const next = successor(gone, owner, controller, expansion.pods)) {
      Replacement replacement = completed(std::move(next->pod), gone, controller, number);
      replacement.claims = claims_of(replacement.pod, std::move(expansion.claims));
      return replacement;
    }
    makes_others |= !expansion.pods.empty();
  }
  // A CronJob makes its next run; the Job that lost the pod is another one, which was not read.
  const bool is_of_another_run = makes_others && !is_known(controller);
  if (any_is_known && !is_of_another_run) return std::nullopt;
  return copy_of(gone, controller, seed_, number);
}

}  // namespace loadline::workloads
