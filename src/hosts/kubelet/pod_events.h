#pragma once

#include <string>
#include <vector>

#include "hosts/kubelet/pod_run.h"
#include "hosts/watching/action.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {

/// The incidents in the words of a kubelet: "Pulled", "Created", "Started", "Killing", "BackOff", …
/// Source: pkg/kubelet/events, pkg/kubelet/images and pkg/kubelet/kuberuntime, v1.36.
std::vector<watching::Event> pod_events(const watching::Observed<kube::Pod>& pod, const PodPlan& plan,
                                        const std::vector<PodIncident>& incidents);

/// About the pod as a whole.
watching::Event pod_event(const watching::Observed<kube::Pod>& pod, watching::Event::Type type, std::string reason,
                          std::string message);

}  // namespace loadline::kubelet
