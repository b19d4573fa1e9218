#pragma once

#include <string>

#include "foundation/document/value.h"
#include "hosts/kubelet/pod_run.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {

/// Where a pod is on the (virtual) network. Empty: not yet.
struct PodAddress {
  std::string host_ip;
  std::string pod_ip;
};

/// The part of a pod's status that a kubelet writes: phase, conditions, container statuses, addresses. What others
/// wrote, and times of conditions that did not change, are taken from the pod.
/// Source: generateAPIPodStatus in pkg/kubelet, v1.36.
document::Value pod_status(const watching::Observed<kube::Pod>& pod, const PodPlan& plan, const PodRun& run,
                           const PodAddress& address, Instant now);

/// The status of a pod that the kubelet does not take. Source: rejectPod in pkg/kubelet, v1.36.
document::Value rejected_status(const watching::Observed<kube::Pod>& pod, const std::string& reason,
                                const std::string& message, Instant now);

/// The strategic merge patch that brings the pod to that status; null if it has it. Other fields stay as they are.
document::Value status_patch(const watching::Observed<kube::Pod>& pod, const document::Value& status);

/// "web-x2x4z_default(uid)", as kubelet's messages name pods.
std::string pod_in_messages(const kube::ObjectMeta& pod);

}  // namespace loadline::kubelet
