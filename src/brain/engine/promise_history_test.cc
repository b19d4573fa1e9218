// Promises are kept, and those that nobody can keep hold nobody for ever, in random histories.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/engine/start_promises.h"
#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/placement/testing/ignored_resources.h"
#include "foundation/base/rng.h"

namespace loadline::engine {

using decision::PodTurn;
using decision::Turn;
using decision::Unit;

namespace {

using engine::testing::node;
using engine::testing::pod;
using engine::testing::PodBuilder;
using engine::testing::PodId;
using gang::Backfill;
using placement::testing::kFpga;
using placement::testing::Leaving;

constexpr Instant kBegin = Instant{} + Duration::seconds(1'000'000);

/// A random history in which everything runs as long as it says, nothing has more priority than another, and no node
/// goes: no group starts later than it was first promised. LOADLINE_PROMISE_SEEDS runs more of these histories,
/// LOADLINE_PROMISE_FIRST_SEED other ones.
class PromiseHistory : public ::testing::TestWithParam<int> {};

enum class Estimates : std::uint8_t { kTrue, kSomeWrong };

class History {
 public:
  /// `leaving`: pods request a resource, too, that nodes have too little of, and that the profile leaves out so.
  History(std::uint64_t seed, Refusals refusals, Estimates estimates = Estimates::kTrue,
          std::optional<Leaving> leaving = std::nullopt)
      : rng_(seed), estimates_(estimates), requests_ignored_(leaving.has_value()) {
    placement::Extensions none;
    kube::SchedulerConfiguration configuration;
    if (leaving) leave_out(configuration.profiles[0], *leaving);
    dispatcher_ = std::make_unique<Dispatcher>(
        cluster_, *placement::Scheduler::make(cluster_, registry(), configuration, none), refusals);
    gang::Switches switches;
    switches.backfill = rng_.below(2) == 0 ? Backfill::kEasy : Backfill::kConservative;
    dispatcher_->set_switches(switches);
    const std::uint64_t nodes = 2 + rng_.below(5);
    for (std::uint64_t i = 0; i < nodes; ++i) {
      cluster_.add_node(node("n" + std::to_string(i))
                            .allocatable(kFpga, "1")
                            .allocatable("nvidia.com/gpu", std::to_string(4 + 4 * rng_.below(2)))
                            .allocatable("cpu", std::to_string(8 + rng_.below(24))));
    }
  }

  void run() {
    for (int step = 0; step < 40; ++step) {
      advance(now_ + static_cast<std::int64_t>(rng_.below(30)));
      if (rng_.below(3) > 0) arrive();
      work();
    }
    while (!ends_.empty()) advance(ends_.begin()->first);
  }

  /// Of works whose estimates are wrong, none ends. Returns how many start once nothing is planned any more, long after
  /// the last other one has ended: those that waited for promises that nobody can keep.
  std::size_t started_without_promises() {
    run();
    for (int ticks = 0; ticks < 400; ++ticks) {
      advance(now_ + 10);
      dispatcher_->set_now(kBegin + Duration::seconds(now_));
      if (dispatcher_->flush_unschedulable()) work();
    }
    const std::size_t before = starts_;
    dispatcher_->set_switches({.backfill = Backfill::kSkipAhead});
    dispatcher_->capacity_freed();
    work();
    return starts_ - before;
  }

  std::size_t promised = 0;
  std::vector<std::string> started_where;  ///< "12: w3-0 on n1", in order

 private:
  struct Work {
    std::vector<PodId> pods;
    std::int64_t span = 0;
    bool has_started = false;
    std::optional<std::int64_t> promise;
  };

  void arrive() {
    const std::string name = "w" + std::to_string(works_.size());
    Work work;
    work.span = 1 + static_cast<std::int64_t>(rng_.below(100));
    const std::uint64_t size = rng_.below(2) == 0 ? 1 : 1 + rng_.below(6);
    const bool is_group = size > 1 || rng_.below(2) == 0;
    if (is_group) {
      kube::PodGroup group;
      group.metadata.namespace_ = "default";
      group.metadata.name = name;
      group.policy.min_count = static_cast<std::int32_t>(size);
      cluster_.set_pod_group(group);
    }
    const bool is_mixed = rng_.below(3) == 0;
    const bool says_nothing = estimates_ == Estimates::kSomeWrong && rng_.below(3) == 0;
    std::uint64_t gpus = 1 + rng_.below(6);
    for (std::uint64_t i = 0; i < size; ++i) {
      if (is_mixed) gpus = 1 + rng_.below(6);
      PodBuilder builder = pod(name + '-' + std::to_string(i))
                               .request("nvidia.com/gpu", std::to_string(gpus))
                               .request("cpu", std::to_string(1 + rng_.below(6)));
      if (requests_ignored_) builder.request(kFpga, std::to_string(gpus));
      if (is_group) builder.group(name);
      if (is_group && rng_.below(6) == 0) {
        builder.label("app", name);
        builder.away_from(cluster::testing::pods_with("app", name, "kubernetes.io/hostname"));
      }
      work.pods.push_back(cluster_.add_pod(builder));
      if (says_nothing) continue;
      cluster_.set_expected_run(work.pods.back(), Duration::seconds(work.span));
    }
    for (const PodId each : work.pods) {
      work_of_[each] = works_.size();
      dispatcher_->add(each);
    }
    works_.push_back(std::move(work));
  }

  /// What ends by then ends at its time, and the scheduler has its turns.
  void advance(std::int64_t to) {
    while (!ends_.empty() && ends_.begin()->first <= to) {
      now_ = ends_.begin()->first;
      for (auto due = ends_.begin(); due != ends_.end() && due->first == now_; due = ends_.erase(due)) {
        for (const PodId each : works_[due->second].pods) cluster_.remove_pod(each);
      }
      dispatcher_->capacity_freed();
      work();
    }
    now_ = to;
  }

  void work() {
    dispatcher_->set_now(kBegin + Duration::seconds(now_));
    while (const std::optional<Unit> unit = dispatcher_->next()) {
      const Turn turn = dispatcher_->take(*unit);
      for (const PodTurn& each : turn.pods) {
        if (!each.node.valid()) continue;
        started(work_of_.at(each.pod), each.pod);
        started_where.push_back(
            fmt::format("{}: {} on {}", now_, cluster_.pod_name(each.pod), cluster_.node_name(each.node)));
      }
    }
    for (const auto& [unit, start] : dispatcher_->promises().all()) {
      if (!unit.is_group()) continue;
      Work& work = works_[work_of_.at(start->places.front().pod)];
      const std::int64_t planned = (start->at - kBegin).nanoseconds / 1'000'000'000;
      if (estimates_ == Estimates::kTrue) {
        EXPECT_GE(planned, now_);
      }
      if (work.promise && estimates_ == Estimates::kTrue) {
        EXPECT_LE(planned, *work.promise) << "a promise was moved back";
      } else {
        ++promised;
      }
      work.promise = planned;
    }
  }

  void started(std::size_t index, PodId pod) {
    Work& work = works_[index];
    cluster_.set_started(pod, kBegin + Duration::seconds(now_));
    if (work.has_started) return;
    work.has_started = true;
    ++starts_;
    if (work.promise && estimates_ == Estimates::kTrue) {
      EXPECT_LE(now_, *work.promise) << "work " << index << " started later than promised";
    }
    const bool is_wrong = estimates_ == Estimates::kSomeWrong && rng_.below(4) == 0;
    if (!is_wrong) ends_.emplace(now_ + work.span, index);
  }

  Rng rng_;
  Estimates estimates_;
  bool requests_ignored_;
  std::size_t starts_ = 0;
  cluster::Cluster cluster_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::int64_t now_ = 0;
  std::vector<Work> works_;
  std::map<PodId, std::size_t> work_of_;
  std::multimap<std::int64_t, std::size_t> ends_;
};

TEST_P(PromiseHistory, NothingStartsLaterThanItWasFirstPromised) {
  for (const Refusals refusals : {Refusals::kTold, Refusals::kUntold}) {
    History history(static_cast<std::uint64_t>(GetParam()), refusals);
    history.run();
    if (HasFailure()) {
      FAIL() << "LOADLINE_PROMISE_FIRST_SEED=" << GetParam() << " LOADLINE_PROMISE_SEEDS=1 repeats it";
    }
  }
}

TEST_P(PromiseHistory, NothingWaitsForEverForPromisesThatNobodyCanKeep) {
  for (const Refusals refusals : {Refusals::kTold, Refusals::kUntold}) {
    History history(static_cast<std::uint64_t>(GetParam()), refusals, Estimates::kSomeWrong);
    EXPECT_EQ(history.started_without_promises(), 0U)
        << "LOADLINE_PROMISE_FIRST_SEED=" << GetParam() << " LOADLINE_PROMISE_SEEDS=1 repeats it";
  }
}

TEST_P(PromiseHistory, WhatTheProfileIgnoresChangesNothing) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  constexpr std::array kWays = {Leaving::kIgnoredResource, Leaving::kIgnoredGroup, Leaving::kManagedByExtender};
  for (const Refusals refusals : {Refusals::kTold, Refusals::kUntold}) {
    History plain(seed, refusals);
    plain.run();
    History ignoring(seed, refusals, Estimates::kTrue, kWays[seed % kWays.size()]);
    ignoring.run();
    EXPECT_EQ(ignoring.started_where, plain.started_where);
  }
}

// A group of as much room as one before it, which was refused it, had no turn when its planned start had come.
INSTANTIATE_TEST_SUITE_P(SeedsThatFoundFaults, PromiseHistory, ::testing::Values(9226));

const int kFirstPromiseSeed = cluster::testing::number_of("LOADLINE_PROMISE_FIRST_SEED", 1);
INSTANTIATE_TEST_SUITE_P(
    Seeds, PromiseHistory,
    ::testing::Range(kFirstPromiseSeed, kFirstPromiseSeed + cluster::testing::number_of("LOADLINE_PROMISE_SEEDS", 60)));

}  // namespace
}  // namespace loadline::engine
