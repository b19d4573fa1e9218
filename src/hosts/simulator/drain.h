#pragma once

#include <cstdint>

#include "hosts/simulator/change.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

enum class Unmanaged : std::uint8_t { kStay, kEvicted };

/// Sorts the pods on a node as kubectl drain does: pods of DaemonSets and static pods stay; so do pods without a
/// controller, unless forced; all others are to be evicted. Unlike kubectl, which refuses to begin where a pod has no
/// controller (--force) or keeps an emptyDir (--delete-emptydir-data), it goes on and lists those pods.
/// Source: k8s.io/kubectl/pkg/drain/filters.go, v1.36. O(pods).
DrainedNode drain(const kube::Objects& objects, const std::string& node, Unmanaged wish);

}  // namespace loadline::simulator
