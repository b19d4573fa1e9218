// A session, on paper: queues by their share, each job's least number of tasks as a whole, tasks pipelined onto the
// room of victims that are leaving, and a job discarded without a trace if that is not enough.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/gang/place.h"
#include "foundation/base/rng.h"

namespace loadline::engine::session {
namespace {

using cluster::NodeId;
using cluster::PodId;

struct Job {
  int queue;
  std::vector<PodId> tasks;  // all of them, or none, have a place
};

class Session {
 public:
  Session(cluster::Cluster& cluster, placement::Scheduler& scheduler, std::vector<Job>& jobs)
      : cluster_(cluster), scheduler_(scheduler), jobs_(jobs) {}

  void open() {
    std::vector<Job*> waiting;
    for (Job& job : jobs_) {
      if (std::ranges::any_of(job.tasks, [this](PodId task) { return !cluster_.pod(task).node.valid(); })) {
        waiting.push_back(&job);
      }
    }
    while (!waiting.empty()) {
      const auto next = std::ranges::min_element(waiting, {}, [this](const Job* job) { return share(job->queue); });
      allocate(**next);
      waiting.erase(next);
    }
  }

 private:
  [[nodiscard]] std::size_t share(int queue) const {
    std::size_t tasks = 0;
    for (const Job& job : jobs_) {
      if (job.queue != queue) continue;
      tasks += static_cast<std::size_t>(
          std::ranges::count_if(job.tasks, [this](PodId task) { return cluster_.pod(task).node.valid(); }));
    }
    return tasks;
  }

  /// All tasks have a place, or room that is being made; or nothing happened.
  void allocate(const Job& job) {
    cluster::Transaction statement(cluster_, cluster::Visibility::kSeen);
    placement::Decision decision;
    for (const PodId task : job.tasks) {
      const cluster::PodRecord& record = cluster_.pod(task);
      if (record.node.valid()) continue;
      scheduler_.decide(task, placement::Detail::kDecision, placement::Search::kAsConfigured, decision);
      if (decision.attempt.scheduled()) {
        gang::put(cluster_, scheduler_, {task, decision.attempt.node});
      } else if (const NodeId node = decision.preemption.node; node.valid()) {
        cluster_.nominate(task, node);
        if (decision.preemption.chosen() == nullptr) continue;
        for (const PodId victim : decision.preemption.chosen()->victims) cluster_.set_terminating(victim, true);
      } else if (!record.nominated.valid()) {
        return;  // discarded
      }
    }
    statement.commit();
  }

  cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  std::vector<Job>& jobs_;
};

class Sessions : public ::testing::TestWithParam<int> {
 protected:
  Sessions() : random_(static_cast<std::uint64_t>(GetParam())) {
    for (const char* name : {"a", "b", "c"}) cluster_.add_node(cluster::testing::node(name));
  }

  void submit() {
    Job job{static_cast<int>(random_.below(3)), {}};
    const auto priority = static_cast<std::int32_t>(random_.below(3)) * 100;
    const std::string cpus = std::to_string(1 + random_.below(3));
    for (std::uint64_t tasks = 1 + random_.below(3); tasks > 0; --tasks) {
      cluster::testing::PodBuilder pod("p" + std::to_string(++made_));
      job.tasks.push_back(cluster_.add_pod(pod.request("cpu", cpus).priority(priority)));
    }
    jobs_.push_back(std::move(job));
  }

  /// Victims go, and with one task of a job, the others: it begins anew, or is over.
  void let_victims_leave() {
    for (Job& job : jobs_) {
      const bool is_hit = std::ranges::any_of(job.tasks, [this](PodId task) { return cluster_.pod(task).terminating; });
      if (is_hit) end(job);
    }
    std::erase_if(jobs_, [](const Job& job) { return job.tasks.empty(); });
  }
  void end(Job& job) {
    for (const PodId task : job.tasks) cluster_.remove_pod(task);
    job.tasks.clear();
  }

  void check() const {
    for (const Job& job : jobs_) {
      std::size_t none = 0;
      for (const PodId task : job.tasks) {
        none += !cluster_.pod(task).node.valid() && !cluster_.pod(task).nominated.valid() ? 1U : 0U;
      }
      EXPECT_TRUE(none == 0 || none == job.tasks.size()) << "a job has all its room, or none";
    }
    for (const NodeId node : cluster_.nodes()) {
      EXPECT_LE(cluster_.requested(node, cluster::kCpu), cluster_.allocatable(node, cluster::kCpu));
    }
  }

  Rng random_;
  cluster::Cluster cluster_;
  placement::Scheduler scheduler_ = *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{});
  std::vector<Job> jobs_;
  int made_ = 0;
};

TEST_P(Sessions, GiveJobsAllTheirRoomOrNone) {
  for (int i = 0; i < 40 && !HasFailure(); ++i) {
    submit();
    Session(cluster_, scheduler_, jobs_).open();
    check();
    let_victims_leave();
    if (random_.below(3) == 0 && !jobs_.empty()) {
      const auto over = jobs_.begin() + static_cast<std::ptrdiff_t>(random_.below(jobs_.size()));
      end(*over);
      jobs_.erase(over);
    }
  }
}

const int kFirst = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, Sessions,
                         ::testing::Range(kFirst, kFirst + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::engine::session
