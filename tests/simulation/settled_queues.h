#pragma once

#include <map>
#include <string>
#include <vector>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/base/virtual_loop.h"
#include "hosts/embedded/cluster.h"
#include "objects/kube/client.h"
#include "objects/kube/kueue/local_queue.h"
#include "simulation/queue_observer.h"

namespace loadline::simulation {

/// What has to hold of Kueue's queues in a cluster that has settled. Reports violations to the observer.
///
///  - A Workload is over, or admitted, and then its job runs; or its conditions say why not, and its job is held: a Job
///    is suspended and has no pods, a pod has its gate.
///  - What waits in a queue without a cohort does not fit into what that has left.
///  - Statuses of queues are what a recount of the Workloads comes to.
///  - Queues that are filled with the objects as they are, and know nothing else, decide nothing more.
class SettledQueues {
 public:
  /// Its arguments outlive it; time does not move.
  SettledQueues(VirtualLoop& loop, embedded::Cluster& cluster, kube::Client& client, Observer& observer)
      : loop_(loop), cluster_(cluster), client_(client), observer_(observer) {}

  void check();

 private:
  /// What a recount of the Workloads of a queue comes to.
  struct Recount {
    std::int64_t pending = 0;
    std::int64_t reserving = 0;
    std::int64_t admitted = 0;
    QuotaAmounts reserved;
    QuotaAmounts used;
  };

  template <class Kind>
  std::map<std::string, Kind> list(const std::string& plural);
  void read();
  void check_workload(const std::string& key, const QueueObserver::Workload& workload);
  void check_job_of(const std::string& key, const QueueObserver::Workload& workload, bool runs);
  void check_jobs();
  void check_room(const std::string& key, const kube::KueueWorkload& workload);
  void recount();
  void check_statuses();
  void check_counts(const std::string& of, const document::Value& object, const Recount& counted);
  void check_amounts(const std::string& of, const document::Value& object, std::string_view member,
                     const QuotaAmounts& amounts);
  void check_fresh_scheduler();
  [[nodiscard]] const kube::ClusterQueue* queue_of(const kube::KueueWorkload& workload) const;

  VirtualLoop& loop_;
  embedded::Cluster& cluster_;
  kube::Client& client_;
  Observer& observer_;

  std::map<std::string, QueueObserver::Workload> workloads_;
  std::map<std::string, kube::ResourceFlavor> flavors_;
  std::map<std::string, kube::Cohort> cohorts_;
  std::map<std::string, kube::ClusterQueue> queues_;
  std::map<std::string, kube::LocalQueue> locals_;    // by key
  std::map<std::string, document::Value> documents_;  // of queues and LocalQueues, by "plural key"
  std::map<std::string, Recount> of_queues_;
  std::map<std::string, Recount> of_locals_;
};

/// All Workloads with what their statuses say, to be compared.
[[nodiscard]] std::map<std::string, std::string> standings(const QueueObserver& queues);

}  // namespace loadline::simulation
