#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/base/virtual_loop.h"
#include "hosts/embedded/cluster.h"
#include "objects/kube/client.h"
#include "simulation/observer.h"
#include "simulation/workload.h"

namespace loadline::simulation {

/// A pod of a group that stands in a queue of Kueue stays, deleted, until another one has come in its place.
[[nodiscard]] bool waits_for_replacement(const document::Value& pod);

/// Invariants of a cluster without faults whose controllers have had time to finish. Reports violations to the
/// observer.
class Settled {
 public:
  /// Its arguments outlive it; time does not move.
  Settled(VirtualLoop& loop, embedded::Cluster& cluster, kube::Client& client, Observer& observer,
          const Workload& workload)
      : loop_(loop), cluster_(cluster), client_(client), observer_(observer), workload_(workload) {}

  void check();
  /// CronJobs that are at work: they make another Job now and then.
  void check_crons();

 private:
  void check_namespaces();
  void check_namespace_defaults(const std::string& name_space);
  void check_pods();
  void check_groups();
  void check_group(const Observer::Group& group);
  void check_owners();
  void check_claims();
  void check_quotas();
  void check_budgets();
  void check_applications();
  void check_replicated(const Application& application, const document::Value& object);
  void check_daemon(const Application& application, const document::Value& object);
  void check_job(const Application& application, const document::Value& object);
  void check_cron(const Application& application, const document::Value& object);
  void check_leader_worker_set(const Application& application, const document::Value& object);
  void check_job_set(const Application& application, const document::Value& object);
  void check_ending(const Application& application, const document::Value& object);
  void check_ray_cluster(const Application& application, const document::Value& object);
  void check_pod_clique_set(const Application& application, const document::Value& object);
  void check_service(const Application& application);
  void check_model();

  std::vector<document::Value> list(const kube::ResourceReference& of);
  void with(const kube::ResourceReference& of, const std::function<void(const document::Value&)>& look);
  [[nodiscard]] std::int64_t ready_pods(const std::string& app) const;
  [[nodiscard]] bool waits(const Application& application) const;

  VirtualLoop& loop_;
  embedded::Cluster& cluster_;
  kube::Client& client_;
  Observer& observer_;
  const Workload& workload_;
};

/// A kind of objects in namespaces.
struct KeptKind {
  const char* group;
  const char* plural;
  const char* version = "v1";
};

/// Those that operators run, and make for them.
[[nodiscard]] std::span<const KeptKind> kinds_of_operators();

/// The value of the label app.
std::string app_of(const Observer::Pod& pod);

/// A fresh scheduler finds no node for any waiting pod, and would start no waiting group, but for those that would move
/// the planned start of another unit, or break up a group: the running one was woken by every event that could help a
/// unit. For a moment when no unit is due to be tried.
void check_wake_ups(scheduler::LiveClusterModel& model, Instant now, Observer& observer);

}  // namespace loadline::simulation
