// A queue of jobs, on paper: in rounds, it reserves quota for jobs that have no pods yet, waits for a check, admits
// them, sees their pods come, die and come again under the same quota, and gives it back when the last one is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/ledgers/undo_log.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "foundation/base/rng.h"

namespace loadline::engine::rounds {

using decision::Unit;

namespace {

using cluster::PodId;

constexpr int kLimit = 12;  // CPUs of each queue

/// Of CPUs, by queue.
class Quota final : public cluster::Ledger {
 public:
  [[nodiscard]] int used(int queue) const { return used_.at(static_cast<std::size_t>(queue)); }
  bool reserve(int queue, int cpus) {
    if (used(queue) + cpus > kLimit) return false;
    change(queue, cpus);
    return true;
  }
  void give_back(int queue, int cpus) { change(queue, -cpus); }

  void begin() override { undo_.begin(); }
  void keep() override { undo_.keep(); }
  void roll_back() override {
    undo_.roll_back([this](const std::array<int, 3>& before) { used_ = before; });
  }
  void end() override { undo_.end(); }

 private:
  void change(int queue, int cpus) {
    undo_.record(used_);
    used_.at(static_cast<std::size_t>(queue)) += cpus;
  }
  std::array<int, 3> used_{};
  cluster::UndoLog<std::array<int, 3>> undo_;
};

enum class Stage { kPending, kReserved, kAdmitted, kLeaving, kFinished };

struct Job {
  int queue;
  int pods;
  int cpus;  // of each
  Stage stage = Stage::kPending;
  std::vector<PodId> there = {};
};

class Rounds {
 public:
  Rounds(cluster::Cluster& cluster, Dispatcher& dispatcher) : cluster_(cluster), dispatcher_(dispatcher) {
    cluster_.attach(quota_);
  }
  [[nodiscard]] std::vector<Job>& jobs() { return jobs_; }
  [[nodiscard]] const Quota& quota() const { return quota_; }

  /// One head of each queue, those of the queue that uses least first. A head that does not fit keeps its place.
  void take() {
    std::vector<Job*> heads;
    for (int queue = 0; queue < 3; ++queue) {
      const auto head = std::ranges::find_if(
          jobs_, [&](const Job& job) { return job.queue == queue && job.stage == Stage::kPending; });
      if (head != jobs_.end()) heads.push_back(&*head);
    }
    std::ranges::stable_sort(heads, {}, [this](const Job* job) { return quota_.used(job->queue); });
    for (Job* job : heads) {
      cluster::Transaction trial(cluster_, cluster::Visibility::kSeen);
      if (!quota_.reserve(job->queue, job->pods * job->cpus)) continue;
      job->stage = Stage::kReserved;
      trial.commit();
    }
  }
  /// Of a job that has its quota. Refused: it waits for another round, without.
  void check(Job& job, bool passes) {
    if (!passes) quota_.give_back(job.queue, job.pods * job.cpus);
    job.stage = passes ? Stage::kAdmitted : Stage::kPending;
    for (int i = 0; passes && i < job.pods; ++i) create(job);
  }
  /// A pod is gone: one that runs on is followed by another, under the same quota; with the last one of a job that is
  /// leaving, the quota comes back.
  void died(Job& job, PodId pod) {
    if (!cluster_.pod(pod).node.valid()) dispatcher_.withdraw(pod);
    cluster_.remove_pod(pod);
    std::erase(job.there, pod);
    dispatcher_.capacity_freed();
    if (job.stage == Stage::kAdmitted) return create(job);
    if (!job.there.empty()) return;
    job.stage = Stage::kFinished;
    quota_.give_back(job.queue, job.pods * job.cpus);
  }

 private:
  void create(Job& job) {
    cluster::testing::PodBuilder pod("p" + std::to_string(++made_));
    job.there.push_back(cluster_.add_pod(pod.request("cpu", std::to_string(job.cpus))));
    dispatcher_.add(job.there.back());
  }

  cluster::Cluster& cluster_;
  Dispatcher& dispatcher_;
  Quota quota_;
  std::vector<Job> jobs_;  // the oldest first
  int made_ = 0;
};

class RoundsOfJobs : public ::testing::TestWithParam<int> {
 protected:
  RoundsOfJobs() : random_(static_cast<std::uint64_t>(GetParam())) {
    for (const char* name : {"a", "b", "c", "d"}) cluster_.add_node(cluster::testing::node(name));
  }
  int below(int bound) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound))); }

  void happen() {
    if (below(2) == 0) rounds_.jobs().push_back({below(3), 1 + below(4), 1 + below(3)});
    for (Job& job : rounds_.jobs()) {
      if (job.stage == Stage::kReserved && below(2) == 0) rounds_.check(job, below(4) > 0);
      if (job.stage == Stage::kAdmitted && below(6) == 0) job.stage = Stage::kLeaving;
      const bool loses_one = job.stage == Stage::kLeaving || (job.stage == Stage::kAdmitted && below(5) == 0);
      if (loses_one && !job.there.empty()) rounds_.died(job, job.there[random_.below(job.there.size())]);
    }
    while (const std::optional<Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
  }

  void check() {
    std::map<int, int> held;
    std::size_t pods = 0;
    for (const Job& job : rounds_.jobs()) {
      const bool holds = job.stage != Stage::kPending && job.stage != Stage::kFinished;
      held[job.queue] += holds ? job.pods * job.cpus : 0;
      pods += job.there.size();
      EXPECT_EQ(job.there.empty(), job.stage < Stage::kAdmitted || job.stage == Stage::kFinished);
      if (job.stage == Stage::kAdmitted) {
        EXPECT_EQ(job.there.size(), static_cast<std::size_t>(job.pods));
      }
    }
    for (int queue = 0; queue < 3; ++queue) {
      EXPECT_EQ(rounds_.quota().used(queue), held[queue]);
      EXPECT_LE(held[queue], kLimit);
    }
    EXPECT_EQ(cluster_.pod_count(), pods);
  }

  Rng random_;
  cluster::Cluster cluster_;
  Dispatcher dispatcher_{cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{})};
  Rounds rounds_{cluster_, dispatcher_};
};

TEST_P(RoundsOfJobs, HoldQuotaFromTheReservationToTheLastPod) {
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    happen();
    rounds_.take();
    check();
  }
  for (Job& job : rounds_.jobs()) {
    if (job.stage == Stage::kReserved) rounds_.check(job, true);
    if (job.stage == Stage::kAdmitted) job.stage = Stage::kLeaving;
    while (!job.there.empty()) rounds_.died(job, job.there.back());
  }
  check();
  for (int queue = 0; queue < 3; ++queue) EXPECT_EQ(rounds_.quota().used(queue), 0);
}

const int kFirst = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, RoundsOfJobs,
                         ::testing::Range(kFirst, kFirst + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::engine::rounds
