#include "brain/engine/admitted_room.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/admitted_room_text.h"
#include "brain/gang/place.h"
#include "objects/kube/defaults.h"

namespace loadline::engine {

using cluster::PodId;
using decision::Fit;
using queue::kueue::RoomAnswer;
using queue::kueue::RoomRequest;

RoomAnswer AdmittedRoom::ask(const RoomRequest& request, bool holds) {
  const kube::KueueWorkload* const known = host_.find_workload(request.workload);
  if (known == nullptr) return {};
  kube::KueueWorkload admitted = *known;
  admitted.status.admission = request.admission;
  const std::string name = admitted.metadata.name;
  let_go(request.workload);
  const Result<std::vector<AdmittedPods>> pods = pods_of(std::move(admitted));
  if (!pods) return {Fit::kNo, pods.error().message};
  std::vector<PlacedSet> sets;
  for (const AdmittedPods& each : *pods) sets.push_back({&each, dispatcher_.keeper().open_for(name, each)});
  RoomAnswer answer;
  {
    cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    take_away(request.leaving);
    answer = place(sets);
    if (holds && answer.fit == Fit::kYes) tentatively.commit();
  }
  if (!holds || answer.fit != Fit::kYes) {
    let_go(request.workload);
    return answer;
  }
  for (const PlacedSet& set : sets) {
    for (const PodId placeholder : set.placeholders) dispatcher_.placed_elsewhere(placeholder);
  }
  return answer;
}

// ---- the pods ------------------------------------------------------------------------------------------------------

Result<std::vector<AdmittedPods>> AdmittedRoom::pods_of(kube::KueueWorkload workload) const {
  const auto infos = queue::kueue::pod_set_infos(workload, host_.find_flavor);
  if (!infos) return tl::unexpected(infos.error());
  std::vector<AdmittedPods> sets;
  for (std::size_t i = 0; i < infos->size(); ++i) {
    const queue::kueue::PodSetInfo& info = (*infos)[i];
    Result<kube::PodTemplateSpec> merged = queue::kueue::merged(workload.pod_sets[i].template_, info);
    if (!merged) return tl::unexpected(merged.error());
    Result<kube::Pod> placeholder = placeholder_of(*std::move(merged), workload);
    if (!placeholder) return tl::unexpected(placeholder.error());
    if (dispatcher_.scheduler().profile(placeholder->spec->scheduler_name) == nullptr) continue;
    sets.push_back({info.name, *std::move(placeholder), static_cast<std::size_t>(std::max(info.count, 0))});
  }
  return sets;
}

/// What a pod of the template asks for its room.
Result<kube::Pod> AdmittedRoom::placeholder_of(kube::PodTemplateSpec pod_template,
                                               const kube::KueueWorkload& workload) const {
  kube::Pod pod;
  pod.metadata = std::move(pod_template.metadata);
  pod.metadata.namespace_ = workload.metadata.namespace_;
  const kube::OwnerReference* const controller = host_.find_controller(workload);
  if (controller != nullptr) pod.metadata.owner_references = {*controller};
  auto spec = std::make_shared<kube::PodSpec>(*pod_template.spec);
  spec->scheduling_gates.clear();
  spec->pod_group_name.clear();
  std::erase_if(spec->volumes, [](const kube::Volume& volume) { return volume.ephemeral_claim.has_value(); });
  pod.spec = std::move(spec);
  kube::set_defaults(pod);
  if (const Result<void> completed = host_.complete(pod); !completed) return tl::unexpected(completed.error());
  return pod;
}

/// In a transaction.
void AdmittedRoom::take_away(const std::vector<std::string>& workloads) {
  for (const std::string& workload : workloads) {
    const std::size_t slash = workload.find('/');
    const auto pods = cluster_.pods_of_workload(workload.substr(0, slash), workload.substr(slash + 1));
    for (const PodId pod : std::vector<PodId>(pods.begin(), pods.end())) {
      if (cluster_.pod(pod).node.valid()) cluster_.unplace(pod);
    }
  }
}

// ---- their places --------------------------------------------------------------------------------------------------

RoomAnswer AdmittedRoom::place(std::span<const PlacedSet> sets) {
  RoomAnswer answer;
  for (const PlacedSet& set : sets) {
    for (std::size_t i = 0; i < set.placeholders.size(); ++i) {
      placement::Decision decision;
      const Fit fit = place(set.placeholders[i], decision);
      if (fit == Fit::kAfterEvictions) answer.fit = fit;
      if (fit != Fit::kNo) continue;
      return {fit, no_room_text(set.pods->set, i, set.placeholders.size(), decision)};
    }
  }
  return answer;
}

/// Victims of its priority leave, too, for what comes after it.
Fit AdmittedRoom::place(PodId placeholder, placement::Decision& decision) {
  placement::Scheduler& scheduler = dispatcher_.scheduler();
  scheduler.decide(placeholder, placement::Detail::kDecision, placement::Search::kAsConfigured, decision);
  if (decision.attempt.scheduled()) {
    gang::put(cluster_, scheduler, {placeholder, decision.attempt.node});
    return Fit::kYes;
  }
  const placement::Candidate* const chosen = decision.preemption.chosen();
  if (chosen == nullptr) return Fit::kNo;
  for (const PodId victim : chosen->victims) cluster_.unplace(victim);
  gang::put(cluster_, scheduler, {placeholder, chosen->node});
  return Fit::kAfterEvictions;
}

}  // namespace loadline::engine
