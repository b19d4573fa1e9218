#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"
#include "objects/kube/client.h"
#include "simulation/observer.h"

namespace loadline::simulation {

/// Something that has pods: they carry the label app=NAME.
struct Application {
  enum class Kind : std::uint8_t { kReplicated, kDaemon, kJob, kCron };
  kube::ResourceReference of;  ///< the object
  Kind kind = Kind::kReplicated;
  bool tolerates_taints = false;
  bool has_service = false;   ///< of its name
  std::string manifest = {};  ///< what it was created from
};

/// People who use a cluster at random: they add, break, shrink and take away nodes, and create, scale, change, delete
/// and evict what runs on them, and delete whole namespaces. Their own line to the API server is a good one.
class Workload {
 public:
  /// What is named outlives it.
  Workload(Observer& observer, std::uint64_t seed) : observer_(observer), random_(seed) {}
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// Whom they talk to from now on.
  void use(kube::Client& client) { client_ = &client; }
  /// Namespaces, priorities, a quota, classes of storage.
  void furnish();
  /// Whether it is no wonder that the API server fails.
  void expect_outage(bool is_expected) { expects_outage_ = is_expected; }

  void add_node();
  /// Does one thing. Returns what, for people to read.
  std::string act();
  /// Takes away what keeps nodes from working: power cuts, not cordons and taints. Those drive nobody away any more,
  /// for pods that tolerate that for a time would come and go for ever.
  void heal_nodes();
  /// Every scheduler is there that pods name.
  void provide_profile();
  /// Nobody keeps pods that are to go.
  void let_go_of_pods();
  /// No Deployment is paused.
  void resume_rollouts();
  /// No CronJob makes another Job.
  void suspend_crons();

  /// All there ever were. Those that were deleted are gone, unless the power went before that was written down, or
  /// the disk did not take it.
  [[nodiscard]] const std::vector<Application>& applications() const { return ever_; }
  /// All that people ever made, whether they are there or not.
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
  std::string add_pod();
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
  std::string delete_furniture();
  std::string change_profile();
  std::string change_namespace();
  std::string delete_namespace(std::size_t at);

  kube::Client* client_ = nullptr;
  Observer& observer_;
  Rng random_;
  bool expects_outage_ = false;
  std::uint64_t next_name_ = 0;
  std::vector<Application> ever_;
  std::vector<Application> applications_;              // that nobody has deleted
  std::vector<Application> former_;                    // that somebody has: they may come back
  std::map<std::string, std::string> pod_manifests_;   // of pods that people made themselves, by key
  std::map<std::string, std::string> node_manifests_;  // by name
  std::map<std::string, std::string> former_nodes_;    // those of them that somebody has removed
  std::set<std::string> held_;                         // pods, by key
  std::vector<Budget> budgets_;
  std::set<std::string> ever_spaces_;
  std::vector<std::string> spaces_;         // namespaces that people have made, and not deleted
  std::vector<std::string> former_spaces_;  // that they have: they may want the name again
};

}  // namespace loadline::simulation
