#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/decision/line.h"
#include "brain/engine/dispatcher.h"
#include "brain/queue/kueue/adjusted_pods.h"
#include "brain/queue/kueue/kueue_line.h"
#include "foundation/base/event_loop.h"
#include "foundation/observe/kueue_metrics.h"
#include "hosts/scheduler/queues/queue_books.h"
#include "hosts/scheduler/queues/queue_statuses.h"
#include "hosts/scheduler/queues/workload_writer.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/kueue_configuration.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler::queues {

/// Kueue's queues in a live cluster: a line of the scheduler's loop that is fed from the caches, and whose rounds are
/// written to Workloads (WorkloadWriter) and statuses of queues (QueueStatuses). It is there as soon as the cluster has
/// a ClusterQueue, LocalQueue or Cohort; until then it costs a comparison a turn.
///
/// It is made of objects alone, and made anew of them when Kueue's configuration changes. The queues run ahead of the
/// API server by what was decided and is not told yet; what cannot be carried out is given back, and decided again.
///
/// What follows from time and from other objects (checks, timeouts, queues that are stopped), is the matter of
/// hosts/operators/kueue: this one follows what Workloads say, whoever wrote it.
class LiveQueues final : public decision::Line {
 public:
  using Key = watching::ObjectKey;

  /// `wake` is called when there may be a round to decide. Everything that is named outlives it.
  LiveQueues(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
             watching::Actuator::Say say, cluster::Cluster& model, std::function<void()> wake);
  ~LiveQueues() override;

  /// The dispatcher gives it its rounds.
  void set_dispatcher(engine::Dispatcher& dispatcher);
  /// Workloads need nodes for their pods, too; null: they do not. From the next round on. It outlives this.
  void set_room(queue::kueue::Room* room);
  /// The Workload as the line knows it, by "namespace/name"; null: it is gone. Valid until the next call.
  [[nodiscard]] const kube::KueueWorkload* find_workload(const std::string& name);
  /// What the policy says; from the next round on.
  void set_switches(const queue::kueue::Switches& switches);
  /// Tells of every round before it is carried out. The scheduler is as it has decided.
  using TellRound =
      std::function<void(const queue::kueue::Round& round, const queue::kueue::KueueScheduler& scheduler)>;
  void when_decided(TellRound tell) { tell_ = std::move(tell); }
  /// The caches are full: from now on rounds are decided.
  void start();
  [[nodiscard]] bool is_idle() const { return writer_.is_idle(); }
  /// Null: the cluster has no queues.
  [[nodiscard]] const queue::kueue::KueueScheduler* scheduler() const { return line_ ? &line_->scheduler() : nullptr; }

  /// Of all ClusterQueues, by name. O(ClusterQueues).
  [[nodiscard]] std::vector<observe::ClusterQueueFigures> figures() const;
  /// The Workloads that wait in the ClusterQueue, in order. Nothing: there is none of that name. O(n log n).
  [[nodiscard]] std::optional<std::vector<watching::ObjectPtr<kube::KueueWorkload>>> waiting_in(
      const std::string& cluster_queue) const;

  [[nodiscard]] bool is_due(Instant now) const override;
  [[nodiscard]] std::optional<Instant> due_at() const override;
  void decide_round(decision::Doors& doors, Instant now) override;

 private:
  /// A Workload as the line was told of it.
  struct Told {
    std::string uid;
    std::int64_t generation = 0;
    std::vector<kube::PodSet> adjusted;  // of that generation
    std::string digest;                  // of all that the line reads of it
    std::string admitted_in;             // the ClusterQueue that its status names
    std::optional<Instant> rests_until;  // a reservation was refused
  };

  void listen(watching::Subscriptions& subscriptions);
  template <class Kind, class Take>
  void follow(watching::Subscriptions& subscriptions, Take take);
  void on_cluster_queue(const watching::Change<kube::ClusterQueue>& change);
  void on_local_queue(const watching::Change<kube::LocalQueue>& change);
  void on_workload(const watching::Change<kube::KueueWorkload>& change);
  void on_pod_defaults(const std::optional<std::string>& name_space);
  void on_configuration();
  void read_configuration();
  [[nodiscard]] bool has_queues() const;
  void begin_if_needed();
  void begin();
  void fill();

  void tell(const Key& key);
  void tell(const watching::Observed<kube::KueueWorkload>& object);
  void tell_admitted_in(const std::string& cluster_queue);
  void forget(const Key& key);
  void gave_up(const Key& key, bool is_refused);
  void adjust(kube::KueueWorkload& workload, Told& told);
  [[nodiscard]] const queue::kueue::PodDefaults& defaults_in(const std::string& name_space);
  void carry_out(const queue::kueue::Round& round, Instant now);
  [[nodiscard]] queue::kueue::KueueScheduler& kueue() { return line_->scheduler(); }

  EventLoop& loop_;
  watching::Caches& caches_;
  cluster::Cluster& model_;
  std::function<void()> wake_;
  watching::Actuator::Say say_;
  TellRound tell_;  // may be empty
  watching::ClustersKueueConfiguration configuration_;
  WorkloadWriter writer_;
  QueueBooks books_;
  QueueStatuses statuses_;
  engine::Dispatcher* dispatcher_ = nullptr;
  queue::kueue::Switches switches_;
  std::optional<queue::kueue::KueueLine> line_;  // nothing: there are no queues, or it has not started
  queue::kueue::Room* room_ = nullptr;
  kube::KueueWorkload found_;  // find_workload()
  bool is_started_ = false;
  bool is_configuration_changed_ = false;  // and a task is posted that heeds it
  std::map<Key, Told> told_;
  std::set<Key> unready_;  // admitted Workloads whose pods are not ready, where they keep others from being admitted
  std::map<std::string, std::set<Key>> admitted_in_;           // Workloads by the ClusterQueue that their status names
  std::map<std::string, queue::kueue::PodDefaults> defaults_;  // by namespace; of those that were asked about
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);      // posted tasks look at it
};

}  // namespace loadline::scheduler::queues
