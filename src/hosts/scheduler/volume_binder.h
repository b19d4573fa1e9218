#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/cluster.h"
#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

/// What a pod waits for between the decision and its binding: that its claims are bound. Writes what was chosen, the
/// volume's claimRef or the claim's selected node, and waits until the persistent volume controller and the provisioner
/// have done their part.
///
/// Fails if a write is refused, if the provisioner takes the selected node away, if a volume turns out not to reach the
/// node, if something that is needed is gone, or if it takes too long. What was written stays. Unlike upstream, where
/// the kubelet would not start the pod, it also fails if a claim is being deleted, as PreFilter does.
/// Source: BindPodVolumes and checkBindings in pkg/scheduler/framework/plugins/volumebinding/binder.go, v1.36, which
/// looks once a second; we look when something changes.
class VolumeBinder {
 public:
  /// Empty, or kube-scheduler's words for what went wrong.
  using Done = std::function<void(const std::string& error)>;

  /// Everything that is named outlives it.
  VolumeBinder(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
               cluster::Cluster& cluster);
  VolumeBinder(const VolumeBinder&) = delete;
  VolumeBinder& operator=(const VolumeBinder&) = delete;
  ~VolumeBinder();

  /// Calls `done` in a later task. REQUIRES: nothing is under way for a pod of that name.
  void bind(const watching::Observed<kube::Pod>& pod, std::string_view node, std::vector<cluster::ChosenVolume> chosen,
            Duration timeout, Done done);

 private:
  struct Waiting;
  using Step = std::vector<watching::Action>;

  Result<std::vector<Step>> writes(const Waiting& pod) const;
  void on_written(const watching::ObjectKey& key, const std::weak_ptr<int>& still,
                  const watching::ReconciliationResult& outcome);
  void look_at_pods_of(const watching::ObjectKey& claim);
  void look_at(const watching::ObjectKey& pod);
  void look();
  void look(const watching::ObjectKey& key);
  Result<bool> is_bound(const Waiting& pod) const;
  Result<void> check_that_it_stays(const watching::ObjectKey& claim) const;
  Result<bool> is_bound(const Waiting& pod, const cluster::ChosenVolume& chosen) const;
  Result<bool> is_provisioned(const Waiting& pod, const cluster::ChosenVolume& chosen) const;
  Result<void> check_reach(const kube::PersistentVolume& volume, std::string_view node) const;
  void end(const watching::ObjectKey& key, const std::string& error);

  EventLoop& loop_;
  watching::Caches& caches_;
  watching::Actuator& actuator_;
  cluster::Cluster& cluster_;
  std::map<watching::ObjectKey, std::unique_ptr<Waiting>> pods_;
  std::map<watching::ObjectKey, watching::Keys> by_claim_;
  watching::Keys to_look_at_;
  bool is_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::scheduler
