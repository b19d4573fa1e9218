#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"
#include "objects/kube/client.h"
#include "simulation/drafts.h"
#include "simulation/observer.h"

namespace loadline::simulation {

/// Something that has pods: they carry the label app=NAME.
struct Application {
  enum class Kind : std::uint8_t {
    kReplicated,
    kDaemon,
    kJob,
    kCron,
    kLeaderWorkerSet,
    kJobSet,
    kEnding,      ///< of another operator; it ends by itself
    kRayCluster,  ///< RayClusters go on
    kPodCliqueSet,
  };
  kube::ResourceReference of;  ///< the object
  Kind kind = Kind::kReplicated;
  bool tolerates_taints = false;
  bool has_service = false;       ///< of its name
  std::string manifest = {};      ///< what it was created from
  std::string suspended_in = {};  ///< the patch that suspends it, with {} for true or false; empty: it cannot be
};

/// Of Jobs and what has the same field.
inline constexpr const char* kSuspended = "{{spec: {{suspend: {}}}}}";

/// Users of a cluster, simulated at random: they add, break, shrink and take away nodes, and create, scale, change,
/// delete and evict what runs on them, alone or in groups that start together, and delete whole namespaces. Their own
/// connection to the API server has no faults.
class Workload {
 public:
  /// `observer` outlives it.
  Workload(Observer& observer, std::uint64_t seed) : observer_(observer), random_(seed) {}
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// The client that users send requests through from now on.
  void use(kube::Client& client) { client_ = &client; }
  /// Creates a namespace with a quota, priority classes and storage classes.
  void create_defaults();
  /// Whether errors of the API server are expected.
  void expect_outage(bool is_expected) { expects_outage_ = is_expected; }

  void add_node();
  /// Does one random action, and returns a description of it for the log.
  std::string act();
  /// Creates a PodGroup and its pods; a lasting one is small, and its pods do not end by themselves.
  enum class GroupKind : std::uint8_t { kAny, kLasting };
  std::string add_group(GroupKind kind = GroupKind::kAny);
  /// Deletes pods of groups that have no nodes, or cordons all nodes: what has begun to start cannot be completed.
  std::string obstruct_groups();
  /// Ends the power cuts of nodes; cordons stay, and so do taints, but NoExecute becomes NoSchedule: pods that
  /// tolerate NoExecute for a time would be evicted and replaced for ever.
  void heal_nodes();
  /// Creates the second scheduler's profile, which pods name, if it is missing.
  void provide_profile();
  /// Removes the finalizers that keep deleted pods.
  void let_go_of_pods();
  /// Resumes paused Deployments.
  void resume_rollouts();
  /// Suspends all CronJobs.
  void suspend_crons();

  /// All there ever were. Those that were deleted are gone, unless the power went before that was written down, or
  /// the disk did not take it.
  [[nodiscard]] const std::vector<Application>& applications() const { return ever_; }
  /// All that users ever created, whether they still exist or not.
  [[nodiscard]] const std::set<std::string>& namespaces() const { return ever_spaces_; }
  struct Budget {
    std::string name_space;
    std::string app;
    std::int64_t min_available = 0;
  };
  [[nodiscard]] const std::vector<Budget>& budgets() const { return budgets_; }
  void evict(const std::string& name_space, const std::string& name);

 private:
  void create(kube::ResourceReference of, const std::string& yaml);
  void patch(const kube::ResourceReference& of, const std::string& changes,
             kube::PatchType type = kube::PatchType::kMerge);
  void remove(const kube::ResourceReference& of, const kube::DeleteOptions& options);
  std::string name(const char* kind);
  std::string pick_namespace();
  void launch(const Application& application);
  std::string relaunch();
  std::string add_application();
  std::string add_replicated();
  std::string add_daemon();
  std::string add_job();
  std::string add_cron();
  std::string add_leader_worker_set();
  std::string add_job_set();
  std::string add_of_operator();
  std::string add_pod();
  std::string add_grouped_pods(const kube::ResourceReference& group, std::uint64_t size, GroupKind kind);
  std::string add_grouped_application(const kube::ResourceReference& group, std::uint64_t size, Purpose purpose);
  std::string change_group();
  std::string add_budget();
  std::string change_node();
  std::string restore_node(const std::string& node);
  std::string drain(const std::string& node);
  std::string move(const std::string& node);
  std::string trouble_node(const std::string& node);
  std::string change_application();
  std::string delete_application(std::size_t at);
  std::string change_pod();
  void hold(const std::string& pod);
  std::string delete_claim();
  std::string delete_namespace_defaults();
  std::string change_profile();
  std::string change_namespace();
  std::string delete_namespace(std::size_t at);

  kube::Client* client_ = nullptr;
  Observer& observer_;
  Rng random_;
  bool expects_outage_ = false;
  std::uint64_t next_name_ = 0;
  std::vector<Application> ever_;
  std::vector<Application> applications_;              // that users have not deleted
  std::vector<Application> former_;                    // that users have deleted: they may create them again
  std::map<std::string, std::string> pod_manifests_;   // of pods that users created directly, by key
  std::map<std::string, std::string> groups_;          // manifests of PodGroups, by key, whether they are there or not
  std::map<std::string, std::string> node_manifests_;  // by name
  std::map<std::string, std::string> former_nodes_;    // those of them that users have removed
  std::set<std::string> held_;                         // pods, by key
  std::vector<Budget> budgets_;
  std::set<std::string> ever_spaces_;
  std::vector<std::string> spaces_;         // namespaces that users have created, and not deleted
  std::vector<std::string> former_spaces_;  // that users have deleted: they may use the name again
};

}  // namespace loadline::simulation
