#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/job_set.h"
#include "brain/workloads/later_rooms.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/saturated.h"
#include "brain/workloads/training_job.h"
#include "hosts/controllers/controller.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/objects.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::operators {

// The Reservations by which a workload holds room for its later pods (brain/workloads/later_rooms.h). They are made
// before the PodGroup with which their room is found, and that is made once the scheduler knows of them: so no pod of
// the first part starts before.

/// The generation of the workload that a reservation follows.
inline constexpr std::string_view kOfGeneration = "loadline.dev/of-generation";

/// Of a workload with more pods than these the later ones look for room once they are there: what is held is made pod
/// by pod, and one object is not to fill the process.
inline constexpr std::int64_t kMostPodsHeldFor = 50'000;

/// Whether the room of its later pods can be held. O(its roles).
template <class Kind>
bool is_of_bounded_size(const Kind& workload) {
  std::int64_t pods = 0;
  for (const workloads::PodSet& set : workloads::pod_sets(workload)) {
    pods = workloads::saturated_sum(pods, std::max<std::int64_t>(set.count, 0));
  }
  return pods <= kMostPodsHeldFor;
}

/// Whether the workload has come to its end.
template <class Kind>
bool is_over(const Kind& workload) {
  if constexpr (requires { workloads::finished_condition(workload); }) {
    return workloads::finished_condition(workload) != nullptr;
  } else if constexpr (requires { workloads::finished_condition(workload.status); }) {
    return workloads::finished_condition(workload.status) != nullptr;
  } else {
    return false;
  }
}

/// The rooms of one workload, by group; what is to be known of its pods is found out when it is first asked for.
template <class Kind>
class RoomsOf {
 public:
  RoomsOf(const Kind& workload, const controllers::Context& context) : workload_(workload), context_(context) {}

  /// What the part's later pods are to be held room for. O(pods of the workload) at first.
  [[nodiscard]] std::vector<kube::Reservation> of(const workloads::WholePart& part) {
    if (part.later.empty() || !is_of_bounded_size(workload_)) return {};
    if (!is_expanded_) expand();
    std::vector<kube::Reservation> rooms =
        workloads::rooms_of_later_parts(kube::kind_of<Kind>(), workload_.metadata, part, pods_[part.group]);
    for (kube::Reservation& room : rooms) {
      room.metadata.annotations[std::string(kOfGeneration)] = std::to_string(workload_.metadata.generation);
    }
    return rooms;
  }

 private:
  /// As a plan does: the pods differ from those that the operator makes in nothing that their room depends on.
  void expand() {
    is_expanded_ = true;
    kube::Objects objects;
    objects.of<Kind>().push_back(workload_);
    for (const auto& [name_space, classes] : context_.caches.of<kube::PriorityClass>().namespaces()) {
      for (const auto& [name, each] : classes) objects.of<kube::PriorityClass>().push_back(each->view);
    }
    expansion_ = workloads::expand(objects, context_.now, 0);
    for (const workloads::CreatedPod& created : expansion_.pods) {
      const auto part = workloads::whole_part_of(workload_, created.pod.metadata);
      if (part) pods_[part->group].push_back(&created.pod);
    }
  }

  const Kind& workload_;
  const controllers::Context& context_;
  bool is_expanded_ = false;
  workloads::Expansion expansion_;
  std::map<std::string, std::vector<const kube::Pod*>> pods_;  // by group
};

/// Whether the scheduler knows of the room that is asked for, and would hold it.
[[nodiscard]] bool is_taken_up(const kube::Reservation& reservation);

[[nodiscard]] watching::Action creation_of(const kube::Reservation& room);
/// The reservation that is there, with what is asked for now.
[[nodiscard]] watching::Action update_of(const watching::Observed<kube::Reservation>& there,
                                         const kube::Reservation& room);

}  // namespace loadline::operators
