#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "hosts/embedded/cluster.h"
#include "server/store/testing/crash_disk.h"
#include "simulation/faulty_client.h"
#include "simulation/observer.h"
#include "simulation/queue_observer.h"
#include "simulation/queue_users.h"
#include "simulation/trace.h"
#include "simulation/workload.h"

namespace loadline::simulation {

/// One life of a cluster in virtual time, all of it drawn from a seed: users act on it at random, its controllers,
/// scheduler and machines talk to its API server over a bad line, and crash; its disk fails, the whole process crashes,
/// or the power goes, and it comes back with what is on its disk; then the faults stop, and it has to settle. In one of
/// four, teams share the cluster by Kueue's queues, too.
class Simulation {
 public:
  /// `adjust` (may be empty) may say more of the cluster each time that its process starts.
  using Adjust = std::function<void(embedded::ClusterOptions& options)>;
  /// Whether there are queues: as the seed says, or not at all, or in any case. All else is drawn alike.
  enum class Queues : std::uint8_t { kBySeed, kNone, kKueue };
  explicit Simulation(std::uint64_t seed, Adjust adjust = {}, Queues queues = Queues::kBySeed);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  /// Runs to its end, or to the first step that breaks an invariant.
  void run();

  [[nodiscard]] const std::vector<std::string>& violations() const { return observer_.violations(); }
  /// What was there to be checked, and how often.
  [[nodiscard]] const std::map<std::string, std::size_t>& notes() const { return observer_.notes(); }
  /// What users did, and when.
  [[nodiscard]] const std::string& story() const { return story_; }
  [[nodiscard]] std::uint64_t digest() const { return observer_.digest(); }
  [[nodiscard]] std::uint64_t faults() const { return faults_.count() + disk_.faults(); }
  [[nodiscard]] std::uint64_t restarts() const { return restarts_; }
  [[nodiscard]] std::uint64_t reboots() const { return reboots_; }

 private:
  void open();
  void close();
  void tell(const std::string& what);
  void step();
  void act();
  void expect_outage(bool is_expected);
  void check_whole(const decision::PodTurn& turn);
  void interrupt_start();
  void restart();
  void reboot();
  void cut_power();
  void spoil_disk();
  Duration pause();
  void settle();
  void come_to_rest();
  void check_that_nothing_is_left_to_do();
  void check_that_queues_stand_still(const std::map<std::string, std::string>& before);
  void check_evictions();
  void evict_all(const Workload::Budget& budget);

  VirtualLoop loop_{Instant{} + Duration::seconds(1'767'225'600)};
  Trace trace_{loop_};
  Rng random_;
  Faults faults_;
  store::CrashDisk disk_;
  std::uint64_t seed_;
  Adjust adjust_;
  std::uint64_t restarts_ = 0;
  std::uint64_t reboots_ = 0;
  bool has_synced_ = false;  // controllers and scheduler know what there is
  std::string story_;
  Observer observer_{trace_};
  Workload workload_;
  std::optional<QueueObserver> queue_observer_;  // nothing: there are no queues
  std::optional<QueueUsers> queue_users_;
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
};

}  // namespace loadline::simulation
