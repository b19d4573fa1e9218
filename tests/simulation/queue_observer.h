#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "brain/queue/kueue/amount.h"
#include "foundation/base/time.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/cohort.h"
#include "objects/kube/kueue/workload.h"
#include "simulation/observer.h"

namespace loadline::simulation {

/// Amounts by flavor and resource.
using QuotaAmounts = std::map<std::pair<std::string, std::string>, queue::kueue::Amount>;

/// What the Workload's status says that it uses: of each pod set what it was given, without the pods that have ended.
[[nodiscard]] QuotaAmounts usage_of(const kube::KueueWorkload& workload);
void add_to(QuotaAmounts& sum, const QuotaAmounts& more);

/// Watches every version of Kueue's objects, and of what waits in its queues, and reports what must never happen:
///  - a Job or a pod that names a queue and is not held from the beginning, or that starts although its Workload was
///    not admitted, nor had been a moment ago: whoever starts it may not have heard yet;
///  - a pod of a held Job that gets a node;
///  - a Workload that is admitted without quota, or has quota of which its status says nothing;
///  - ClusterQueues, or cohorts, of which more is used than they may use, for longer than what was decided takes to be
///    written; unless their quota was made smaller. Those that are to leave do not count: others may have been given
///    what they still hold.
class QueueObserver {
 public:
  /// Listens to `observer`, which outlives it. To be made before that one follows a client.
  QueueObserver(Observer& observer, const Trace& trace);
  QueueObserver(const QueueObserver&) = delete;
  QueueObserver& operator=(const QueueObserver&) = delete;

  void report(std::string violation) { observer_.report(std::move(violation)); }
  /// Looks at what has to be over by now.
  void check_quotas();

  struct Workload {
    document::Value document;
    kube::KueueWorkload view;
  };
  /// By key.
  [[nodiscard]] const std::map<std::string, Workload>& workloads() const { return workloads_; }
  /// Jobs that name a queue, by key.
  [[nodiscard]] const Observer::Documents& jobs() const { return jobs_; }

 private:
  /// Since when something is not so any more; nothing: it is so.
  struct Was {
    std::set<std::string> now;  // what makes it so
    Instant last;
  };
  using History = std::map<std::string, Was>;  // by uid

  /// What the queues of a tree, or one queue, may use together.
  struct Account {
    QuotaAmounts limits;
    QuotaAmounts uses;
  };
  /// How long more was used than that, and how much is excused by a smaller quota.
  struct Overdraft {
    std::optional<Instant> since;
    QuotaAmounts excused;
    Instant excused_until;
  };

  void on_workload(const kube::WatchEvent& event);
  void on_job(const kube::WatchEvent& event);
  void on_pod(const kube::WatchEvent& event);
  void check_state(const std::string& key, const kube::KueueWorkload& workload);
  [[nodiscard]] bool was_recently(const History& history, const std::string& uid) const;
  void note_admission(const std::string& key, const document::Value& workload, bool is_admitted);
  [[nodiscard]] std::string root_of(const std::string& cohort) const;
  [[nodiscard]] std::map<std::string, Account> accounts() const;
  void check_account(const std::string& name, const Account& account);
  void quotas_changed();

  Observer& observer_;
  const Trace& trace_;
  std::map<std::string, Workload> workloads_;
  std::map<std::string, kube::ClusterQueue> queues_;
  std::map<std::string, kube::Cohort> cohorts_;
  Observer::Documents jobs_;
  History admitted_;  // of the owners of Workloads
  History running_;   // of Jobs
  struct SeenPod {
    bool is_gated = false;
    bool has_node = false;
  };
  std::map<std::string, SeenPod> pods_;  // that name a queue, or are of a Job that does; by uid
  std::set<std::string> queued_jobs_;    // uids
  std::map<std::string, Overdraft> overdrafts_;
};

}  // namespace loadline::simulation
