#pragma once

#include <string>
#include <vector>

#include "hosts/controllers/action.h"
#include "hosts/kubelet/pod_run.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {

/// The incidents in the words of a kubelet: "Pulled", "Created", "Started", "Killing", "BackOff", …
/// Source: pkg/kubelet/events, pkg/kubelet/images and pkg/kubelet/kuberuntime, v1.36.
std::vector<controllers::Event> pod_events(const controllers::Observed<kube::Pod>& pod, const PodPlan& plan,
                                           const std::vector<PodIncident>& incidents);

/// About the pod as a whole.
controllers::Event pod_event(const controllers::Observed<kube::Pod>& pod, controllers::Event::Type type,
                             std::string reason, std::string message);

}  // namespace loadline::kubelet
