#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/decision/turn.h"
#include "foundation/base/event_loop.h"
#include "hosts/scheduler/scheduling_actions.h"
#include "hosts/scheduler/status_writer.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

/// Keeps the condition PodGroupScheduled of PodGroups. While a group's turns fail it is False, and says why. It is True
/// from when the API server has as many of the group's pods on nodes as start together, of a basic group one: those
/// count that have ended since, and not those that are being deleted. True is never taken back.
///
/// So it tells a group that has started, and lost pods, from one that was started only in part, across restarts of the
/// scheduler; by its observedGeneration also from one whose minimum was raised since. The model is told of it, as it is
/// of groups in other words, whose objects have no such condition. That is why it waits for the bindings, whereas
/// kube-scheduler writes it once it has decided; and why it is written until that succeeds, one write of a group after
/// the other.
class GroupConditions {
 public:
  /// Everything that is named outlives it. The model has subscribed to PodGroups before.
  GroupConditions(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                  cluster::Cluster& model);
  GroupConditions(const GroupConditions&) = delete;
  GroupConditions& operator=(const GroupConditions&) = delete;

  /// The caches are full: from now on it writes.
  void start();
  /// A turn of the group is over.
  void took(const watching::ObjectKey& group, const decision::Turn& turn);

 private:
  struct Wanted {
    std::string uid;  // of the group's object
    GroupStatus status;
    friend bool operator==(const Wanted&, const Wanted&) = default;
  };
  using Group = cluster::spellings::GroupKey;
  void count(const watching::ObjectPtr<kube::Pod>& pod, std::int64_t sign);
  void look(const Group& name);
  [[nodiscard]] bool is_bound_whole(const Group& name, cluster::GroupId id) const;
  [[nodiscard]] std::vector<watching::Action> say(const watching::ObjectKey& key, const Wanted& wanted) const;

  EventLoop& loop_;
  watching::Caches& caches_;
  cluster::Cluster& model_;
  StatusWriter<Wanted> writer_;
  std::map<Group, std::int64_t> bound_;  // pods of groups that count
};

}  // namespace loadline::scheduler
