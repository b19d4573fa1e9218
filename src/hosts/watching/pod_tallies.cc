#include "hosts/watching/pod_tallies.h"

#include "brain/workloads/existing_pods.h"
#include "objects/kube/core/pod_readiness.h"

namespace loadline::watching {
namespace {

PodTally tally_of(const kube::Pod& pod) {
  const bool active = workloads::is_active(pod);
  return {active ? 1 : 0, active && is_ready(pod) ? 1 : 0, is_terminating(pod) ? 1 : 0};
}

const kube::OwnerReference* counted_controller(const kube::Pod& pod) {
  const kube::OwnerReference* controller = pod.metadata.controller();
  if (controller == nullptr) return nullptr;
  return controller->kind == "ReplicaSet" || controller->kind == "ReplicationController" ? controller : nullptr;
}

}  // namespace

void PodTallies::on_change(const Change<kube::Pod>& change) {
  if (change.before != nullptr) add(change.before->view, -1);
  if (change.after != nullptr) add(change.after->view, 1);
}

void PodTallies::add(const kube::Pod& pod, std::int32_t sign) {
  const kube::OwnerReference* const controller = counted_controller(pod);
  const PodTally one = tally_of(pod);
  if (controller == nullptr || one == PodTally{}) return;
  const auto of_controller = tallies_.try_emplace(controller->uid).first;
  const auto place = of_controller->second.try_emplace(pod.metadata.labels).first;
  place->second.active += sign * one.active;
  place->second.ready += sign * one.ready;
  place->second.terminating += sign * one.terminating;
  if (place->second != PodTally{}) return;
  of_controller->second.erase(place);
  if (of_controller->second.empty()) tallies_.erase(of_controller);
}

}  // namespace loadline::watching
