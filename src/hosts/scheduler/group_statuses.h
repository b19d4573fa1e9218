#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "brain/cluster/cluster.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/decision/turn.h"
#include "foundation/base/event_loop.h"
#include "hosts/scheduler/group_tasks.h"
#include "hosts/scheduler/kai_group_status.h"
#include "hosts/scheduler/status_writer.h"
#include "hosts/scheduler/volcano_group_status.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

/// Keeps the status of PodGroups of Volcano and of KAI as their schedulers do, and no other component of this process
/// writes it. Groups of which something has changed are looked at together, a second after the first of these changes:
/// as in the sessions of those schedulers, a group is written once a second at most, whatever happens to its pods.
///
/// A group is left alone if none of its pods names a scheduler that runs here, for the one that they name may write it;
/// one without pods, if no scheduler here has the name of its own.
class GroupStatuses {
 public:
  /// Whether a scheduler of that name runs here.
  using AnswersTo = std::function<bool(std::string_view scheduler)>;

  /// Everything that is named outlives it. The model has subscribed to pods and PodGroups before.
  GroupStatuses(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                const cluster::Cluster& model, AnswersTo answers_to);
  GroupStatuses(const GroupStatuses&) = delete;
  GroupStatuses& operator=(const GroupStatuses&) = delete;

  /// The caches are full: from now on it writes.
  void start();
  /// A turn is over, of a group of whatever spelling. REQUIRES: the turn is a group's.
  void took(const decision::Turn& turn);

 private:
  using Group = cluster::spellings::GroupKey;
  /// What is known of a group's pods.
  struct Pods {
    TaskCounts tasks;
    std::map<std::string, std::int64_t, std::less<>> schedulers;  // how many name each
  };
  /// The last turn of a group, in which it did not start.
  struct FailedTurn {
    std::int64_t fits = 0;
    std::string why;     // of the group as a whole
    std::string origin;  // see VolcanoGroupFacts
  };
  void count(const watching::ObjectPtr<kube::Pod>& pod, std::int64_t sign);
  void touch(const Group& group);
  void look_later();
  void look(const Group& group);
  void look_at_volcanos(const Group& group, const Pods& pods);
  void look_at_kais(const Group& group, const Pods& pods);
  [[nodiscard]] bool is_ours(const Pods& pods, std::string_view its_own) const;
  [[nodiscard]] std::int64_t placed(const Group& group) const;

  EventLoop& loop_;
  watching::Caches& caches_;
  const cluster::Cluster& model_;
  AnswersTo answers_to_;
  StatusWriter<VolcanoGroupFacts> volcanos_;
  StatusWriter<KaiGroupFacts> kais_;
  std::map<Group, Pods> pods_;                 // groups that have some
  std::map<Group, FailedTurn> failed_;         // groups of which the last turn failed
  std::set<Group> touched_;                    // to be looked at
  std::unique_ptr<EventLoop::Timer> session_;  // null: none is due
  bool is_started_ = false;
};

}  // namespace loadline::scheduler
