#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "brain/workloads/workload.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::workloads {

/// The pods that exist, by the object that controls them. Keeps pointers into the objects it was made from.
class ExistingPods {
 public:
  ExistingPods(const kube::Objects& objects, const Owners& owners);
  /// Those of one top-level owner. O(pods).
  ExistingPods(const WorkloadReference& owner, std::vector<const kube::Pod*> pods);

  /// Pods whose controller is the object of that kind: by name, and by uid where both sides have one.
  [[nodiscard]] std::vector<const kube::Pod*> controlled_by(std::string_view kind, const kube::ObjectMeta& owner) const;

  /// Pods whose top-level owner is that.
  [[nodiscard]] std::span<const kube::Pod* const> belonging_to(const WorkloadReference& owner) const;

 private:
  std::map<WorkloadReference, std::vector<const kube::Pod*>> by_controller_;
  std::map<WorkloadReference, std::vector<const kube::Pod*>> by_owner_;
};

/// Neither finished nor being deleted: what ReplicaSets and Jobs count.
[[nodiscard]] bool is_active(const kube::Pod& pod);
/// How many of them are active.
[[nodiscard]] std::int64_t active_among(std::span<const kube::Pod* const> pods);

}  // namespace loadline::workloads
