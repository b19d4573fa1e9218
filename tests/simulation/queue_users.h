#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "objects/kube/client.h"
#include "simulation/queue_drafts.h"
#include "simulation/queue_observer.h"

namespace loadline::simulation {

/// Teams that share the cluster by quota, simulated at random: Kueue's queues stand between them, some in cohorts, and
/// they create, change and delete Jobs, pods and groups of pods that wait there, while their quota is edited, and
/// queues are stopped and go on. Their connection to the API server has no faults.
class QueueUsers {
 public:
  /// `observer` outlives it.
  QueueUsers(QueueObserver& observer, std::uint64_t seed) : observer_(observer), random_(seed) {}
  QueueUsers(const QueueUsers&) = delete;
  QueueUsers& operator=(const QueueUsers&) = delete;

  /// The client that they send requests through from now on.
  void use(kube::Client& client) { client_ = &client; }
  /// Whether errors of the API server are expected.
  void expect_outage(bool is_expected) { expects_outage_ = is_expected; }
  /// Creates flavors, queues and priority classes.
  void create_defaults();
  /// Does one random action, and returns a description of it for the log.
  std::string act();

 private:
  void create(const kube::ResourceReference& of, const std::string& yaml);
  void patch(const kube::ResourceReference& of, const std::string& changes);
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options = {});
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  std::string one_of(std::initializer_list<const char*> words);
  std::string name(const char* kind);

  void create_queue(std::size_t number);
  void create_cohorts();
  void configure();
  void draw_quotas(ClusterQueueDraft& queue);
  [[nodiscard]] std::string draw_preemption();
  [[nodiscard]] std::string pick_queue();
  [[nodiscard]] std::string pick_space();
  [[nodiscard]] std::string draw_labels();

  std::string add_job();
  std::string add_pod();
  std::string add_pod_group();
  std::string change_job();
  std::string delete_job();
  std::string change_workload();
  std::string change_quota();
  std::string stop_queue();
  std::string stop_local_queue();
  std::string replace_local_queue();

  QueueObserver& observer_;
  kube::Client* client_ = nullptr;
  Rng random_;
  bool expects_outage_ = false;
  std::uint64_t next_name_ = 0;
  std::vector<std::string> flavors_;
  std::vector<ClusterQueueDraft> queues_;
};

}  // namespace loadline::simulation
