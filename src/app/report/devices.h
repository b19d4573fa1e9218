#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hosts/simulator/plan.h"

namespace loadline::report {

/// The devices of one GPU resource on one node. A slot holds the index in Plan::pods of the pod that has the device.
struct NodeDevices {
  std::string resource;
  std::vector<std::optional<std::size_t>> slots;
  /// Behind those of the pods, slots whose devices are held for pods to come: indices into Plan::reservations.
  std::vector<std::size_t> reserved;
  std::int64_t overcommitted = 0;  ///< devices asked for by pods on the node beyond those it has

  [[nodiscard]] std::size_t used() const;
  /// The reservation that the slot is held for; nullopt: a pod has it, or it is free.
  [[nodiscard]] std::optional<std::size_t> reservation_of(std::size_t slot) const;
};

/// Shows a node's GPUs one by one. Kubernetes leaves the choice of devices to the kubelet; shown is the choice that a
/// node which hands out the lowest free index would make: pods in order of placement (those that ran before the plan
/// first, then by time, then by creation) each take the lowest free devices. One entry a GPU resource of which the node
/// has any, by name. O(pods on the node × log + devices).
std::vector<NodeDevices> devices(const simulator::Plan& plan, const simulator::PlannedNode& node);

}  // namespace loadline::report
