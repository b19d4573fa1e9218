#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "document/value.h"
#include "kube/client.h"
#include "simulation/observer.h"

namespace loadline::simulation {

/// Something that has pods: they carry the label app=NAME.
struct Application {
  kube::ResourceReference of;  ///< the object
  bool is_job = false;
};

/// People who use a cluster at random: they add, break and take away nodes, and create, scale, change, delete and evict
/// what runs on them. Their own line to the API server is a good one.
class Workload {
 public:
  /// Namespaces, priorities and a quota are created at once. What is named outlives it.
  Workload(kube::Client& client, Observer& observer, std::uint64_t seed);
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  void add_node();
  /// Does one thing. Returns what, for people to read.
  std::string act();
  /// Takes away what keeps nodes from working: power cuts, not cordons and taints.
  void heal_nodes();

  [[nodiscard]] const std::vector<Application>& applications() const { return applications_; }
  struct Budget {
    std::string name_space;
    std::string app;
    std::int64_t min_available = 0;
  };
  [[nodiscard]] const std::vector<Budget>& budgets() const { return budgets_; }
  void evict(const std::string& name_space, const std::string& name);

 private:
  void create(kube::ResourceReference of, const std::string& yaml);
  void patch(kube::ResourceReference of, const std::string& merge);
  std::string name(const char* kind);
  std::string pick_namespace();
  std::string spec_of_pod(const std::string& app, bool is_job);
  std::string add_application();
  std::string add_pod();
  std::string add_budget();
  std::string change_node();
  std::string change_application();
  std::string change_pod();

  kube::Client& client_;
  Observer& observer_;
  Rng random_;
  std::uint64_t next_name_ = 0;
  std::vector<Application> applications_;  // that are not deleted
  std::vector<Budget> budgets_;
};

}  // namespace loadline::simulation
