// Jobs in Kueue's queues over a cluster: quota is held from the reservation until the last pod is gone, and only pods
// of admitted jobs have places, whatever comes in between: checks, preemption, pods that die, faults of a round.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/queue/kueue/kueue_line.h"
#include "brain/queue/kueue/round_text.h"
#include "brain/queue/kueue/testing/world.h"
#include "foundation/base/rng.h"

namespace loadline::queue::kueue {
namespace {

using cluster::PodId;
using decision::WorkloadStage;
using Policy = testing::QueuePreemptionPolicy;
using testing::QueueBuilder;
using testing::WorkloadBuilder;

constexpr const char* kQueues[] = {"a", "b", "c"};
constexpr int kNominal = 6;  // CPUs of each queue

struct Job {
  std::string name;
  std::string queue;
  int pods;
  int cpus;  // of each
  int priority;
  bool comes_first;  // its pods come before it is admitted, and wait for that
  decision::WorkloadId workload = {};
  std::vector<PodId> there = {};
};

class LineHistory : public ::testing::TestWithParam<int> {
 protected:
  LineHistory() : random_(static_cast<std::uint64_t>(GetParam())) {
    Settings settings;
    if (below(2) == 0) settings.fair_sharing.emplace();
    settings.admits_partially = false;
    line_.emplace(cluster_, dispatcher_.workloads(), settings);
    for (const char* name : {"n1", "n2", "n3", "n4"}) cluster_.add_node(cluster::testing::node(name));
    KueueScheduler& scheduler = line_->scheduler();
    scheduler.set_namespace("ns", {}, now_);
    scheduler.set(testing::flavor("f"), now_);
    kube::AdmissionCheck check;
    check.metadata.name = "check";
    check.conditions.push_back({"Active", "True", 0, {}, "", ""});
    scheduler.set(check, now_);
    for (const char* name : kQueues) {
      QueueBuilder queue(name);
      queue.cohort("C").quotas("f", {{"cpu", std::to_string(kNominal)}}).within(Policy::kLowerPriority);
      queue.reclaim(below(2) == 0 ? Policy::kAny : Policy::kLowerPriority);
      if (name == kQueues[1]) queue.object().admission_checks = {{"check", {}}};
      if (name == kQueues[2]) queue.strict();
      scheduler.set(queue, now_);
      kube::LocalQueue local;
      local.metadata.name = name;
      local.metadata.namespace_ = "ns";
      local.cluster_queue = name;
      scheduler.set(local);
    }
    dispatcher_.attach(*line_);
  }
  int below(int bound) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound))); }
  [[nodiscard]] WorkloadStage stage(const Job& job) { return dispatcher_.workloads().at(job.workload).stage; }

  [[nodiscard]] static kube::KueueWorkload object(const Job& job) {
    WorkloadBuilder it(job.name, job.queue);
    it.pods(job.pods, {{"cpu", std::to_string(job.cpus)}}).priority(job.priority);
    return it;
  }
  void submit() {
    Job job{"j" + std::to_string(jobs_.size()), kQueues[below(3)], 1 + below(3), 1 + below(2), below(3), below(2) == 0};
    job.workload = line_->submit(object(job), now_);
    jobs_.push_back(std::move(job));
    while (jobs_.back().comes_first && std::ssize(jobs_.back().there) < jobs_.back().pods) create(jobs_.back());
  }
  void create(Job& job) {
    cluster::testing::PodBuilder pod("p" + std::to_string(++made_));
    job.there.push_back(cluster_.add_pod(pod.request("cpu", std::to_string(job.cpus))));
    dispatcher_.add(job.there.back(), {&job.workload, 1});
  }
  /// One that runs on is followed by another; of one that leaves, the last tells that it has stopped.
  void lose_pod(Job& job) {
    const PodId pod = job.there[random_.below(job.there.size())];
    if (!cluster_.pod(pod).node.valid()) dispatcher_.withdraw(pod);
    cluster_.remove_pod(pod);
    std::erase(job.there, pod);
    dispatcher_.capacity_freed();
    if (stage(job) == WorkloadStage::kAdmitted) create(job);
  }
  void stop(Job& job) {
    if (below(2) == 0) {
      line_->finish(job.workload, now_);
    } else {
      line_->submit(object(job), now_);
      while (job.comes_first && std::ssize(job.there) < job.pods) create(job);
    }
  }
  void happen() {
    now_ = now_ + Duration{300'000'000};
    if (below(2) == 0) submit();
    for (Job& job : jobs_) {
      if (stage(job) == WorkloadStage::kReserved) {
        const int what = below(4);
        if (what == 0) line_->submit(object(job), now_);  // refused
        if (what == 1) line_->pass_check(job.workload, "check");
      }
      if (stage(job) == WorkloadStage::kAdmitted && below(8) == 0) line_->ask_to_leave(job.workload);
      const bool loses =
          stage(job) == WorkloadStage::kLeaving || (stage(job) == WorkloadStage::kAdmitted && below(5) == 0);
      if (loses && !job.there.empty()) lose_pod(job);
      if (stage(job) == WorkloadStage::kLeaving && job.there.empty()) stop(job);
    }
    take_turns();
  }
  void take_turns() {
    dispatcher_.set_now(now_);
    if (below(3) == 0) {  // what a transaction around the line's ledger tried is undone
      const cluster::Transaction trial(cluster_, cluster::Visibility::kSeen);
      const ClusterQueues& queues = line_->scheduler().queues();
      line_->scheduler().quotas().tree().set_used(queues.at(queues.find("a")).groups[0].cells[0], 1'000'000);
    }
    while (const std::optional<decision::Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
    for (const Round& round : line_->take_rounds()) {
      for (const Decision& decision : round.decisions) {  // it is told why, unless it is admitted
        EXPECT_EQ(text(line_->scheduler(), decision).empty(), decision.code == Decision::Code::kAdmitted);
      }
    }
    for (Job& job : jobs_) {
      while (stage(job) == WorkloadStage::kAdmitted && std::ssize(job.there) < job.pods) create(job);
    }
    while (const std::optional<decision::Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
  }

  void check() {
    std::map<std::string, std::int64_t> held;
    std::int64_t all = 0;
    for (const Job& job : jobs_) {
      const WorkloadStage at = stage(job);
      const bool holds = at != WorkloadStage::kPending && at != WorkloadStage::kFinished;
      held[job.queue] += holds ? std::int64_t{job.pods} * job.cpus * 1000 : 0;
      // A head that fits may get, as upstream has it, what victims of the same round give back: until these are gone,
      // more is used than there is.
      const bool stays = holds && !line_->scheduler().workloads().at(line_->kueue_id(job.workload)).is_evicted;
      all += stays ? std::int64_t{job.pods} * job.cpus * 1000 : 0;
      if (at != WorkloadStage::kFinished) {
        EXPECT_EQ(line_->scheduler().workloads().at(line_->kueue_id(job.workload)).has_quota, holds) << job.name;
      }
      const bool had_turns = at == WorkloadStage::kAdmitted || at == WorkloadStage::kLeaving;
      for (const PodId pod : job.there) {
        if (cluster_.pod(pod).node.valid()) {
          EXPECT_TRUE(had_turns) << job.name;
        } else {
          EXPECT_EQ(dispatcher_.held_by_group(pod).has_value(), at != WorkloadStage::kAdmitted) << job.name;
        }
      }
    }
    for (const char* name : kQueues) {
      const QueueId queue = line_->scheduler().queues().find(name);
      EXPECT_EQ(line_->scheduler().quotas().used(line_->scheduler().queues().at(queue).groups[0].cells[0]).value(),
                held[name]);
    }
    EXPECT_LE(all, 3 * kNominal * 1000);
  }

  Rng random_;
  Instant now_{1'000'000'000'000};
  cluster::Cluster cluster_;
  engine::Dispatcher dispatcher_{
      cluster_, *placement::Scheduler::make(cluster_, engine::registry(), kube::SchedulerConfiguration{})};
  std::optional<KueueLine> line_;
  std::deque<Job> jobs_;
  int made_ = 0;
};

TEST_P(LineHistory, HoldsQuotaFromTheReservationToTheLastPod) {
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    happen();
    check();
  }
  for (int rounds = 0; rounds < 3000 && !HasFailure(); ++rounds) {
    now_ = now_ + Duration::seconds(1);
    bool is_over = true;
    for (Job& job : jobs_) {
      if (stage(job) == WorkloadStage::kReserved) line_->pass_check(job.workload, "check");
      if (stage(job) == WorkloadStage::kAdmitted) line_->ask_to_leave(job.workload);
      while (stage(job) == WorkloadStage::kLeaving && !job.there.empty()) lose_pod(job);
      if (stage(job) == WorkloadStage::kLeaving) line_->finish(job.workload, now_);
      if (stage(job) == WorkloadStage::kReserved) line_->finish(job.workload, now_);  // it was to leave
      is_over = is_over && stage(job) == WorkloadStage::kFinished;
    }
    if (is_over) break;
    take_turns();
  }
  check();
  for (const Job& job : jobs_) EXPECT_EQ(stage(job), WorkloadStage::kFinished) << job.name;
}

// Jobs that are to leave stop and queue again, checks pass, and nothing else happens.
TEST_P(LineHistory, RoundsEndWhenNothingElseHappens) {
  line_->scheduler().set_switches({.repeated_preemption = RepeatedPreemption::kRefused}, now_);
  for (int i = 0; i < 40 && !HasFailure(); ++i) happen();
  const std::size_t most = jobs_.size() * jobs_.size();  // preemptions, and seconds until the next batch
  std::size_t rounds = 0;
  for (bool goes_on = true; goes_on && !HasFailure(); ++rounds) {
    ASSERT_LE(rounds, 4 * most + 10) << "there is an end";
    now_ = now_ + Duration::seconds(1);
    goes_on = false;
    for (Job& job : jobs_) {
      const bool is_reserved = stage(job) == WorkloadStage::kReserved;
      const bool is_to_leave =
          is_reserved && line_->scheduler().workloads().at(line_->kueue_id(job.workload)).is_evicted;
      if (is_reserved && !is_to_leave) line_->pass_check(job.workload, "check");
      while (stage(job) == WorkloadStage::kLeaving && !job.there.empty()) lose_pod(job);
      const bool stops = is_to_leave || stage(job) == WorkloadStage::kLeaving;
      if (stops) line_->submit(object(job), now_);
      while (stops && job.comes_first && std::ssize(job.there) < job.pods) create(job);
      goes_on = goes_on || is_reserved || stops;
    }
    take_turns();
    goes_on = goes_on || line_->is_due(now_) || line_->due_at();
  }
}

const int kFirstOfLines = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, LineHistory,
                         ::testing::Range(kFirstOfLines,
                                          kFirstOfLines + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::queue::kueue
