#pragma once

#include <string>

#include "foundation/document/value.h"
#include "hosts/kubelet/device_plugin.h"
#include "hosts/kubelet/machine.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

/// What a virtual kubelet says of its node.
struct NodeReport {
  std::string address;  ///< for InternalIP, if the node has none
  std::string kubelet_version;
  Devices devices;
  document::Object extended;  ///< changes of the allocatable amounts: extended_resources.h
  Instant now;
  bool is_heartbeat = false;  ///< it is time to say everything again
};

/// The strategic merge patch of the node's status; null if there is nothing new to say. Amounts that the node was
/// declared with stay; a node without any gets 8 CPUs, 32Gi of memory, 100Gi of ephemeral storage and 110 pods.
document::Value node_status_patch(const watching::Observed<kube::Node>& node, const NodeReport& report);

/// The patch of labels that follow from devices; null if there is none.
document::Value node_label_patch(const watching::Observed<kube::Node>& node, const Devices& devices);

}  // namespace loadline::kubelet
