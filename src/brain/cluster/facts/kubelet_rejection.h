#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::cluster {

// What a kubelet asks before it starts a pod that is bound to its node: the scheduler may have decided on an outdated
// state, any client may bind a pod, and a pod that names its node has met no scheduler at all.
// A kubelet knows no profile: it counts what its node offers, also a resource that the pod's scheduler ignores, or an
// extender accounts for, and disregards only extended resources that its node does not offer at all. So its demand is
// not the scheduler's (brain/placement/countable_demand.h).
// Source: pkg/kubelet/lifecycle/predicate.go and pkg/kubelet/cm/devicemanager, v1.36.

/// Why a kubelet does not take a pod; the pod has failed then.
struct KubeletRejection {
  std::string reason;  ///< "OutOfcpu", "NodeAffinity", "UnexpectedAdmissionError"
  std::string message;
};

/// A port of a host: protocol, number, and the address, or empty for all.
using TakenPort = std::tuple<kube::Protocol, std::int32_t, std::string>;

/// The ports of the host that the pod's containers take.
[[nodiscard]] std::set<TakenPort> host_ports(const kube::PodSpec& spec);

/// What the pods that the kubelet has taken hold of its node.
struct NodeUse {
  const kube::ResourceList& requests;
  std::size_t pods = 0;
  std::set<TakenPort> ports = {};  ///< needed only if the next pod takes any
};

/// What a new pod on the node would be refused for; nothing: it is taken. O(resources).
[[nodiscard]] std::optional<KubeletRejection> kubelet_rejection(const kube::Pod& pod, const kube::Node& node,
                                                                const NodeUse& use);

}  // namespace loadline::cluster
