#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/engine/dispatcher.h"
#include "brain/engine/reservation_keeper.h"
#include "brain/queue/kueue/jobs/pod_set_info.h"
#include "brain/queue/kueue/room.h"
#include "brain/workloads/reservation.h"
#include "foundation/base/result.h"

namespace loadline::engine {

/// Room for the pods of Workloads that Kueue's queues are about to admit: the scheduler's own decisions, taken for
/// placeholders that the keeper holds until the pods come.
///
/// Pods are those that the sets of the Workload describe, with what its flavors add. They are placed one after the
/// other, so a pod group of them starts with all of them; what the group's topology asks for is not looked at. Pods of
/// a scheduler that is not ours are not looked at, either.
class AdmittedRoom final : public queue::kueue::Room {
 public:
  struct Host {
    /// By "namespace/name", as its queue knows it; null: it is gone.
    std::function<const kube::KueueWorkload*(const std::string& name)> find_workload;
    queue::kueue::FindFlavor find_flavor;
    /// What controls the pods, where these are there already, and wait for the admission; null: they are not, or
    /// nothing does. A Deployment's pods are spread by it.
    std::function<const kube::OwnerReference*(const kube::KueueWorkload& workload)> find_controller;
    /// As admission completes the pods that controllers make.
    workloads::Complete complete;
  };
  /// All that is named outlives it.
  AdmittedRoom(cluster::Cluster& cluster, Dispatcher& dispatcher, Host host)
      : cluster_(cluster), dispatcher_(dispatcher), host_(std::move(host)) {}

  queue::kueue::RoomAnswer find(const queue::kueue::RoomRequest& request) override { return ask(request, false); }
  queue::kueue::RoomAnswer hold(const queue::kueue::RoomRequest& request) override { return ask(request, true); }
  void let_go(std::string_view workload) override { dispatcher_.keeper().let_go_for(workload); }
  [[nodiscard]] std::uint64_t times_freed() const override { return dispatcher_.times_freed(); }

 private:
  struct PlacedSet {
    const AdmittedPods* pods = nullptr;
    std::vector<cluster::PodId> placeholders;
  };

  queue::kueue::RoomAnswer ask(const queue::kueue::RoomRequest& request, bool holds);
  [[nodiscard]] Result<std::vector<AdmittedPods>> pods_of(kube::KueueWorkload workload) const;
  [[nodiscard]] Result<kube::Pod> placeholder_of(kube::PodTemplateSpec pod_template,
                                                 const kube::KueueWorkload& workload) const;
  void take_away(const std::vector<std::string>& workloads);
  queue::kueue::RoomAnswer place(std::span<const PlacedSet> sets);
  decision::Fit place(cluster::PodId placeholder, placement::Decision& decision);

  cluster::Cluster& cluster_;
  Dispatcher& dispatcher_;
  Host host_;
};

}  // namespace loadline::engine
