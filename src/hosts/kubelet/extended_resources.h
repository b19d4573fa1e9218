#pragma once

#include "foundation/document/value.h"
#include "hosts/kubelet/device_plugin.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

// Extended resources that are written into a node's capacity, as cluster administrators advertise what no device plugin
// knows: `kubectl patch node n --subresource=status …`. Source: MachineInfo in pkg/kubelet/nodestatus, v1.36.

/// The extended resources of the node's capacity.
[[nodiscard]] kube::ResourceList extended_capacity(const kube::Node& node);

/// What has to change in the node's allocatable amounts: a resource that only the capacity has is allocatable, too; one
/// whose capacity is another than `before` follows it; one that was in `before` and is not in the capacity any more is
/// taken away (null). A kubelet copies every capacity; a node that was declared with less allocatable than it has, or
/// without any capacity, keeps that. What `devices` speaks of is left to them.
[[nodiscard]] document::Object allocatable_changes(const watching::Observed<kube::Node>& node,
                                                   const kube::ResourceList& before, const Devices& devices);

}  // namespace loadline::kubelet
