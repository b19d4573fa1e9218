// A queue of jobs, on paper: in rounds, it reserves quota for jobs that have no pods yet, waits for a check, admits
// them, sees their pods come, die and come again under the same quota, and gives it back when the last one is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/ledgers/undo_log.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/decision/line.h"
#include "brain/decision/queued_workload.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "foundation/base/rng.h"

namespace loadline::engine::rounds {

using decision::Unit;

namespace {

using cluster::PodId;
using decision::WorkloadId;
using decision::WorkloadStage;

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

struct Job {
  int queue;
  int pods;
  int cpus;          // of each
  bool comes_first;  // its pods come before it is admitted, and wait for that
  WorkloadId workload = {};
  std::vector<PodId> there = {};
};

class Rounds final : public decision::Line {
 public:
  Rounds(cluster::Cluster& cluster, Dispatcher& dispatcher)
      : cluster_(cluster), dispatcher_(dispatcher), workloads_(dispatcher.workloads()) {
    cluster_.attach(quota_);
    dispatcher_.attach(*this);
  }
  [[nodiscard]] std::deque<Job>& jobs() { return jobs_; }
  [[nodiscard]] const Quota& quota() const { return quota_; }
  [[nodiscard]] WorkloadStage stage_of(const Job& job) const { return workloads_.at(job.workload).stage; }

  void submit(Job job) {
    is_due_ = true;
    job.workload = workloads_.open({{"", nullptr, job.pods, job.pods}});
    jobs_.push_back(std::move(job));
    while (jobs_.back().comes_first && std::ssize(jobs_.back().there) < jobs_.back().pods) create(jobs_.back());
  }
  [[nodiscard]] bool is_due(Instant) const override { return is_due_; }
  /// One head of each queue, those of the queue that uses least first. A head that does not fit keeps its place. Those
  /// whose check has passed are admitted first.
  void decide_round(decision::Doors&, Instant) override {
    is_due_ = false;
    for (Job& job : jobs_) {
      if (stage_of(job) == WorkloadStage::kChecked) admit(job);
    }
    std::vector<Job*> heads;
    for (int queue = 0; queue < 3; ++queue) {
      const auto head = std::ranges::find_if(
          jobs_, [&](const Job& job) { return job.queue == queue && stage_of(job) == WorkloadStage::kPending; });
      if (head != jobs_.end()) heads.push_back(&*head);
    }
    std::ranges::stable_sort(heads, {}, [this](const Job* job) { return quota_.used(job->queue); });
    for (Job* job : heads) {
      cluster::Transaction trial(cluster_, cluster::Visibility::kSeen);
      if (!quota_.reserve(job->queue, job->pods * job->cpus)) continue;
      workloads_.advance(job->workload, WorkloadStage::kReserved);
      is_due_ = true;  // there may be another head
      trial.commit();
    }
  }
  /// Of a job that has its quota. Refused: it waits for another round, without.
  void check(Job& job, bool passes) {
    is_due_ = true;
    if (!passes) quota_.give_back(job.queue, job.pods * job.cpus);
    workloads_.advance(job.workload, passes ? WorkloadStage::kChecked : WorkloadStage::kPending);
  }
  void stop(Job& job) { workloads_.advance(job.workload, WorkloadStage::kLeaving); }
  /// A pod is gone: one that runs on is followed by another, under the same quota; with the last one of a job that is
  /// leaving, the quota comes back.
  void died(Job& job, PodId pod) {
    if (!cluster_.pod(pod).node.valid()) dispatcher_.withdraw(pod);
    cluster_.remove_pod(pod);
    std::erase(job.there, pod);
    dispatcher_.capacity_freed();
    if (stage_of(job) == WorkloadStage::kAdmitted) return create(job);
    if (!job.there.empty()) return;
    workloads_.advance(job.workload, WorkloadStage::kFinished);
    quota_.give_back(job.queue, job.pods * job.cpus);
    is_due_ = true;
  }

 private:
  void admit(Job& job) {
    workloads_.advance(job.workload, WorkloadStage::kAdmitted);
    while (std::ssize(job.there) < job.pods) create(job);
  }
  void create(Job& job) {
    cluster::testing::PodBuilder pod("p" + std::to_string(++made_));
    job.there.push_back(cluster_.add_pod(pod.request("cpu", std::to_string(job.cpus))));
    dispatcher_.add(job.there.back(), {&job.workload, 1});
  }

  cluster::Cluster& cluster_;
  Dispatcher& dispatcher_;
  decision::QueuedWorkloads& workloads_;
  Quota quota_;
  std::deque<Job> jobs_;  // the oldest first
  int made_ = 0;
  bool is_due_ = false;
};

class RoundsOfJobs : public ::testing::TestWithParam<int> {
 protected:
  RoundsOfJobs() : random_(static_cast<std::uint64_t>(GetParam())) {
    for (const char* name : {"a", "b", "c", "d"}) cluster_.add_node(cluster::testing::node(name));
  }
  int below(int bound) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound))); }

  void happen() {
    if (below(2) == 0) rounds_.submit({below(3), 1 + below(4), 1 + below(3), below(2) == 0});
    for (Job& job : rounds_.jobs()) {
      if (rounds_.stage_of(job) == WorkloadStage::kReserved && below(2) == 0) rounds_.check(job, below(4) > 0);
      if (rounds_.stage_of(job) == WorkloadStage::kAdmitted && below(6) == 0) rounds_.stop(job);
      const WorkloadStage stage = rounds_.stage_of(job);
      const bool loses_one = stage == WorkloadStage::kLeaving || (stage == WorkloadStage::kAdmitted && below(5) == 0);
      if (loses_one && !job.there.empty()) rounds_.died(job, job.there[random_.below(job.there.size())]);
    }
    take_turns();
  }
  void take_turns() {
    while (const std::optional<Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
  }

  void check() {
    std::map<int, int> held;
    std::size_t pods = 0;
    for (const Job& job : rounds_.jobs()) {
      const WorkloadStage stage = rounds_.stage_of(job);
      const bool holds = stage != WorkloadStage::kPending && stage != WorkloadStage::kFinished;
      held[job.queue] += holds ? job.pods * job.cpus : 0;
      pods += job.there.size();
      if (stage == WorkloadStage::kAdmitted) {
        EXPECT_EQ(job.there.size(), static_cast<std::size_t>(job.pods));
      }
      // Only pods of an admitted job have places, or keep them while it leaves.
      const bool had_turns = stage == WorkloadStage::kAdmitted || stage == WorkloadStage::kLeaving;
      for (const PodId pod : job.there) {
        if (!had_turns) {
          EXPECT_FALSE(cluster_.pod(pod).node.valid());
        }
        if (!cluster_.pod(pod).node.valid()) {
          EXPECT_EQ(dispatcher_.held_by_group(pod).has_value(), stage != WorkloadStage::kAdmitted);
        }
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
    check();
  }
  for (int rounds = 0; rounds < 1000; ++rounds) {
    bool is_over = true;
    for (Job& job : rounds_.jobs()) {
      if (rounds_.stage_of(job) == WorkloadStage::kReserved) rounds_.check(job, true);
      if (rounds_.stage_of(job) == WorkloadStage::kAdmitted) rounds_.stop(job);
      while (rounds_.stage_of(job) == WorkloadStage::kLeaving) rounds_.died(job, job.there.back());
      is_over = is_over && rounds_.stage_of(job) == WorkloadStage::kFinished;
    }
    if (is_over) break;
    take_turns();
  }
  check();
  for (int queue = 0; queue < 3; ++queue) EXPECT_EQ(rounds_.quota().used(queue), 0);
}

const int kFirst = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, RoundsOfJobs,
                         ::testing::Range(kFirst, kFirst + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::engine::rounds
