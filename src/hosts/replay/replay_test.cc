#include "hosts/replay/replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/placement/testing/ignored_resources.h"
#include "brain/queue/kueue/testing/world.h"
#include "foundation/base/rng.h"
#include "hosts/replay/testing/nodes.h"
#include "hosts/trace/testing/listed_works.h"

namespace loadline::replay {
namespace {

using placement::testing::kFpga;
using placement::testing::Leaving;
using queue::kueue::testing::QueueBuilder;
using replay::testing::nodes;
using ::testing::ElementsAre;
using trace::testing::ListedWorks;
using trace::testing::pod_of;
using trace::testing::work;

/// Writes down what happened, in words.
class Diary final : public Observer {
 public:
  void happened(const Event& event) override {
    std::string line =
        fmt::format("{} {} {}", event.at.nanoseconds / 1'000'000'000, event_word(event.kind), event.work->name);
    if (!event.node.empty()) line += fmt::format("[{}] {}", event.pod, event.node);
    lines.push_back(std::move(line));
  }
  void sampled(const Sample& sample) override { samples.push_back(sample); }

  std::vector<std::string> lines;
  std::vector<Sample> samples;
};

struct Outcome {
  Summary summary;
  std::vector<std::string> lines;
  std::vector<Sample> samples;
};

Outcome run(const kube::Objects& cluster, std::vector<trace::Work> works, const ReplayOptions& options = {},
            const kube::SchedulerConfiguration& configuration = {}) {
  ListedWorks source(std::move(works));
  Diary diary;
  Result<Summary> summary = replay(cluster, configuration, source, options, diary);
  EXPECT_TRUE(summary) << (summary ? "" : summary.error().message);
  return {*summary, std::move(diary.lines), std::move(diary.samples)};
}

TEST(Replay, AQueueDrainsOneAfterTheOther) {
  const auto pod = pod_of(1000, 8);
  const Outcome outcome =
      run(nodes(1, 8, 8), {work("a", 0, 600, pod), work("b", 10, 600, pod), work("c", 20, 60, pod)});
  EXPECT_THAT(outcome.lines, ElementsAre("0 arrived a", "0 placed a[0] n0", "0 started a", "10 arrived b",
                                         "20 arrived c", "600 ended a", "600 placed b[0] n0", "600 started b",
                                         "1200 ended b", "1200 placed c[0] n0", "1200 started c", "1260 ended c"));
  EXPECT_EQ(outcome.summary.makespan, Duration::seconds(1260));
  EXPECT_EQ(outcome.summary.all.ended, 3u);
  EXPECT_DOUBLE_EQ(outcome.summary.all.waiting.max, 1180);
  EXPECT_DOUBLE_EQ(outcome.summary.all.waiting.p50, 590);
  EXPECT_DOUBLE_EQ(outcome.summary.gpus_used, 1);
  EXPECT_DOUBLE_EQ(outcome.summary.gpu_hours, 8 * 1260 / 3600.0);
}

TEST(Replay, AGangStartsWholeAndEndsAsOne) {
  const Outcome outcome =
      run(nodes(2, 16, 4), {work("one", 0, 100, pod_of(1000, 1)), work("gang", 1, 50, pod_of(1000, 4), 2)});
  EXPECT_THAT(outcome.lines,
              ElementsAre("0 arrived one", "0 placed one[0] n0", "0 started one", "1 arrived gang", "100 ended one",
                          "100 placed gang[0] n0", "100 placed gang[1] n1", "100 started gang", "150 ended gang"));
}

TEST(Replay, PodsOfAWorkThatIsNoGangRunByThemselves) {
  trace::Work loose = work("loose", 0, 100, pod_of(1000, 4), 3);
  loose.is_gang = false;
  const Outcome outcome = run(nodes(2, 16, 4), {loose});
  EXPECT_THAT(outcome.lines, ElementsAre("0 arrived loose", "0 placed loose[0] n0", "0 placed loose[1] n1",
                                         "100 placed loose[2] n0", "100 started loose", "200 ended loose"));
}

TEST(Replay, WhatHasMorePriorityEvictsAndTheVictimBeginsAnew) {
  const Outcome outcome =
      run(nodes(1, 16, 4), {work("low", 0, 1000, pod_of(1000, 4, 1)), work("high", 100, 50, pod_of(1000, 4, 9))});
  EXPECT_THAT(outcome.lines,
              ElementsAre("0 arrived low", "0 placed low[0] n0", "0 started low", "100 arrived high",
                          "100 preempted low[0] n0", "130 placed high[0] n0", "130 started high", "180 ended high",
                          "180 placed low[0] n0", "180 started low", "1180 ended low"));
  EXPECT_EQ(outcome.summary.preemptions, 1u);
  // 100 s of work, and 30 s in which it left.
  EXPECT_DOUBLE_EQ(outcome.summary.gpu_hours_lost, 4 * 130 / 3600.0);
  EXPECT_DOUBLE_EQ(outcome.summary.gpu_hours, 4 * 1050 / 3600.0);
}

TEST(Replay, OwnersDeleteWhatWaitsAndWhatRuns) {
  const auto pod = pod_of(1000, 4);
  trace::Work runs = work("runs", 0, 1000, pod);
  runs.deleted = Duration::seconds(300);
  trace::Work waits = work("waits", 1, 1000, pod);
  waits.deleted = Duration::seconds(200);
  const Outcome outcome = run(nodes(1, 16, 4), {runs, waits, work("last", 2, 10, pod)});
  EXPECT_THAT(outcome.lines, ElementsAre("0 arrived runs", "0 placed runs[0] n0", "0 started runs", "1 arrived waits",
                                         "2 arrived last", "200 deleted waits", "300 deleted runs",
                                         "300 placed last[0] n0", "300 started last", "310 ended last"));
  EXPECT_EQ(outcome.summary.all.deleted, 1u);
  EXPECT_EQ(outcome.summary.all.deleted_in_line, 1u);
}

TEST(Replay, StopsWhereItIsToldTo) {
  ReplayOptions options;
  options.until = Duration::seconds(50);
  options.sample_every = Duration::seconds(25);
  const auto pod = pod_of(1000, 4);
  const Outcome outcome =
      run(nodes(1, 16, 4), {work("a", 0, 100, pod), work("b", 0, 100, pod), work("late", 60, 1, pod)}, options);
  EXPECT_EQ(outcome.summary.all.arrived, 2u);
  EXPECT_EQ(outcome.summary.all.running_at_end, 1u);
  EXPECT_EQ(outcome.summary.all.pending_at_end, 1u);
  EXPECT_TRUE(outcome.summary.was_cut);
  EXPECT_DOUBLE_EQ(outcome.summary.gpu_hours, 4 * 50 / 3600.0);
  ASSERT_EQ(outcome.samples.size(), 3u);
  EXPECT_EQ(outcome.samples[2].pending_works, 1u);
  EXPECT_DOUBLE_EQ(outcome.samples[2].gpus_used, 1);
}

TEST(Replay, WhatFitsNowhereStaysPendingAndTheReplayEnds) {
  const Outcome outcome = run(nodes(1, 16, 4), {work("a", 0, 100, pod_of(1000, 4)), work("b", 0, 100, pod_of(1000, 5)),
                                                work("gang", 0, 100, pod_of(1000, 4), 2)});
  EXPECT_EQ(outcome.summary.all.ended, 1u);
  EXPECT_EQ(outcome.summary.all.pending_at_end, 2u);
}

// ---- queues ---------------------------------------------------------------------------------------------------------

/// A LocalQueue for all works, of a ClusterQueue with so many GPUs of each flavor.
kube::Objects queued(kube::Objects cluster, queue::kueue::testing::QueueBuilder builder,
                     const std::vector<std::string>& flavors) {
  cluster.of<kube::ClusterQueue>().push_back(builder);
  for (const std::string& name : flavors) {
    kube::ResourceFlavor& flavor = cluster.of<kube::ResourceFlavor>().emplace_back();
    flavor.metadata.name = name;
    flavor.node_labels["type"] = name;
  }
  kube::LocalQueue& local = cluster.of<kube::LocalQueue>().emplace_back();
  local.metadata.name = "queue";
  local.metadata.namespace_ = "default";
  local.cluster_queue = builder.object().metadata.name;
  return cluster;
}

kube::Objects typed_nodes() {
  kube::Objects cluster = nodes(2, 16, 8);
  cluster.of<kube::Node>()[0].metadata.labels["type"] = "a";
  cluster.of<kube::Node>()[1].metadata.labels["type"] = "b";
  return cluster;
}

TEST(ReplayWithQueues, AWorkWaitsForQuotaThoughNodesAreFree) {
  const kube::Objects cluster =
      queued(typed_nodes(), QueueBuilder("team").quotas("a", {{"cpu", "99"}, {"nvidia.com/gpu", "4"}}), {"a"});
  const auto pod = pod_of(1000, 4);
  const Outcome outcome = run(cluster, {work("first", 0, 100, pod), work("second", 10, 100, pod)});
  EXPECT_THAT(outcome.lines,
              ElementsAre("0 arrived first", "0 admitted first", "0 placed first[0] n0", "0 started first",
                          "10 arrived second", "100 ended first", "101 admitted second", "101 placed second[0] n0",
                          "101 started second", "201 ended second"))
      << "a queue looks anew a second after quota was given back";
  ASSERT_EQ(outcome.summary.queues.size(), 1U);
  const QueueSummary& queue = outcome.summary.queues.front();
  EXPECT_EQ(queue.admitted, 2U);
  EXPECT_DOUBLE_EQ(queue.waiting.max, 91);
  EXPECT_NEAR(queue.quotas.back().used, 4 * 200 / 201.0, 1e-9);
  EXPECT_EQ(queue.quotas.back().nominal, 4);
}

TEST(ReplayWithQueues, PodsGoToTheNodesOfTheirFlavor) {
  const kube::Objects cluster = queued(typed_nodes(),
                                       QueueBuilder("team")
                                           .quotas("a", {{"cpu", "99"}, {"nvidia.com/gpu", "2"}})
                                           .quotas("b", {{"cpu", "99"}, {"nvidia.com/gpu", "8"}}),
                                       {"a", "b"});
  const Outcome outcome = run(cluster, {work("one", 0, 10, pod_of(1000, 4)), work("two", 1, 10, pod_of(1000, 2))});
  EXPECT_THAT(outcome.lines, ::testing::IsSupersetOf({"0 placed one[0] n1", "1 placed two[0] n0"}));
}

TEST(ReplayWithQueues, WhoeverIsStoppedWaitsAgain) {
  const kube::Objects cluster = queued(typed_nodes(),
                                       QueueBuilder("team")
                                           .quotas("a", {{"cpu", "99"}, {"nvidia.com/gpu", "4"}})
                                           .within(kube::QueuePreemptionPolicy::kLowerPriority),
                                       {"a"});
  const Outcome outcome =
      run(cluster, {work("low", 0, 100, pod_of(1000, 2), 2), work("high", 10, 20, pod_of(1000, 4, 100))});
  EXPECT_THAT(outcome.lines, ElementsAre("0 arrived low", "0 admitted low", "0 placed low[0] n0", "0 placed low[1] n0",
                                         "0 started low", "10 arrived high", "10 stopped low", "10 evicted low[0] n0",
                                         "10 evicted low[1] n0", "40 admitted high", "40 placed high[0] n0",
                                         "40 started high", "60 ended high", "61 admitted low", "61 placed low[0] n0",
                                         "61 placed low[1] n0", "61 started low", "161 ended low"));
  EXPECT_EQ(outcome.summary.queues.front().stopped, 1U);
  EXPECT_DOUBLE_EQ(outcome.summary.gpu_hours_lost, 4 * 40 / 3600.0) << "with the grace of its pods";
}

TEST(ReplayWithQueues, QuotaOfAPodThatHasEndedIsFree) {
  const kube::Objects cluster =
      queued(typed_nodes(), QueueBuilder("team").quotas("a", {{"cpu", "99"}, {"nvidia.com/gpu", "4"}}), {"a"});
  trace::Work pods = work("pods", 0, 100, pod_of(1000, 4), 2);
  pods.is_gang = false;
  const Outcome outcome = run(cluster, {work("one", 0, 50, pod_of(1000, 2)), pods});
  EXPECT_EQ(outcome.summary.all.pending_at_end, 1U) << "a work needs its quota whole";
  trace::Work fits = work("fits", 0, 100, pod_of(1000, 1), 2);
  fits.is_gang = false;
  const Outcome frees = run(cluster, {fits, work("late", 1, 50, pod_of(1000, 3))});
  EXPECT_THAT(frees.lines, ::testing::Contains("101 admitted late"));
}

TEST(ReplayWithQueues, AWorkOfANamespaceWithoutQueueStartsAtOnce) {
  kube::Objects cluster =
      queued(typed_nodes(), QueueBuilder("team").quotas("a", {{"cpu", "99"}, {"nvidia.com/gpu", "4"}}), {"a"});
  cluster.of<kube::LocalQueue>().front().metadata.namespace_ = "others";
  const Outcome outcome = run(cluster, {work("one", 0, 10, pod_of(1000, 8))});
  EXPECT_EQ(outcome.summary.all.ended, 1U);
  EXPECT_EQ(outcome.summary.without_queue, 1U);
  EXPECT_THAT(outcome.lines, ::testing::Not(::testing::Contains("0 admitted one")));
}

// ---- what holds in every replay -------------------------------------------------------------------------------------

/// Counts everything again from what is told, and compares.
class Invariants final : public Observer {
 public:
  Invariants(std::map<std::string, std::pair<std::int64_t, std::int64_t>> capacity, std::vector<trace::Work> works)
      : capacity_(std::move(capacity)) {
    for (trace::Work& each : works) works_.emplace(each.name, std::move(each));
  }

  void happened(const Event& event) override {
    EXPECT_GE(event.at, last_) << "time went back";
    last_ = event.at;
    State& state = states_[event.work->name];
    const trace::Work& work = works_.at(event.work->name);
    EXPECT_FALSE(state.is_over) << work.name << " goes on after its end";
    switch (event.kind) {
      case EventKind::kArrived:
        EXPECT_EQ(event.at, work.arrives);
        ++arrived_;
        break;
      case EventKind::kAdmitted:
        EXPECT_FALSE(state.is_admitted) << work.name << " is admitted twice";
        state.is_admitted = true;
        check_quota(work, state);
        break;
      case EventKind::kStopped:
        EXPECT_TRUE(state.is_admitted) << work.name;
        state.is_admitted = false;
        ++stops_;
        break;
      case EventKind::kPlaced:
        place(state, work, event);
        break;
      case EventKind::kStarted:
        EXPECT_EQ(state.on.size() + state.done, count(work));
        state.started = event.at;
        break;
      case EventKind::kPreempted:
      case EventKind::kEvicted:
        leaving_.emplace(event.at + Duration::seconds(30), std::pair{state.on.at(event.pod), work.name});
        state.on.erase(event.pod);
        break;
      case EventKind::kEnded:
        EXPECT_EQ(event.at, last_end(state, work)) << work.name << " ended when it was not due";
        finish(state, work);
        break;
      case EventKind::kDeleted:
        EXPECT_EQ(event.at, std::max(*work.deleted, work.arrives));
        finish(state, work);
        break;
    }
  }

  /// What the replay says is in use is what its events come to.
  void sampled(const Sample& sample) override {
    std::int64_t gpus = 0;
    for (const auto& [node, amount] : used_at(sample.at)) gpus += amount.second;
    EXPECT_DOUBLE_EQ(sample.gpus_requested, static_cast<double>(gpus)) << "at " << sample.at.nanoseconds;
  }

  /// From now on queues decide: the most GPUs that works of a tenant may have.
  void set_quotas(std::map<std::string, std::int64_t> quotas) { quotas_ = std::move(quotas); }
  [[nodiscard]] std::size_t stops() const { return stops_; }

  void check_end(const Summary& summary) const {
    EXPECT_EQ(arrived_, works_.size());
    EXPECT_EQ(summary.all.arrived, works_.size());
    EXPECT_EQ(summary.all.ended + summary.all.deleted + summary.all.deleted_in_line + summary.all.running_at_end +
                  summary.all.pending_at_end,
              summary.all.arrived);
    EXPECT_EQ(over_, summary.all.ended + summary.all.deleted + summary.all.deleted_in_line);
  }

 private:
  struct State {
    std::map<std::size_t, std::string> on;  // node by pod
    std::map<std::size_t, Duration> since;
    std::size_t done = 0;
    Duration started;
    bool is_admitted = false;
    bool is_over = false;
  };

  static std::size_t count(const trace::Work& work) { return work.pods.front().count; }
  static std::pair<std::int64_t, std::int64_t> amounts(const trace::Work& work) {
    const kube::ResourceList& requests = work.pods.front().pod->spec->containers.front().resources.requests;
    const auto gpus = requests.find("nvidia.com/gpu");
    return {requests.at("cpu").milli_value(), gpus == requests.end() ? 0 : gpus->second.value()};
  }

  static Duration last_end(const State& state, const trace::Work& work) {
    if (work.is_gang) return state.started + *work.run_time;
    Duration last;
    for (const auto& [pod, since] : state.since) last = std::max(last, since + *work.run_time);
    return last;
  }

  using Amounts = std::pair<std::int64_t, std::int64_t>;  // milli-CPUs, GPUs

  /// What is on each node at that time: pods that had ended by then are not, and victims are until their grace is over.
  std::map<std::string, Amounts> used_at(Duration at) const {
    std::map<std::string, Amounts> used;
    const auto add = [&](const std::string& node, const trace::Work& owner) {
      used[node].first += amounts(owner).first;
      used[node].second += amounts(owner).second;
    };
    for (const auto& [name, each] : states_) {
      const trace::Work& owner = works_.at(name);
      for (const auto& [pod, node] : each.on) {
        if (owner.is_gang || each.since.at(pod) + *owner.run_time > at) add(node, owner);
      }
    }
    for (const auto& [until, victim] : leaving_) {
      if (until > at && !states_.at(victim.second).is_over) add(victim.first, works_.at(victim.second));
    }
    return used;
  }

  /// GPUs of admitted works, less those of pods that have ended.
  void check_quota(const trace::Work& admitted, const State& now) const {
    if (quotas_.empty() || stops_ > 0) return;  // victims hold theirs until they have left
    std::int64_t all = 0;
    for (const auto& [name, each] : states_) {
      const trace::Work& work = works_.at(name);
      if (!each.is_admitted || each.is_over || work.tenant != admitted.tenant) continue;
      std::int64_t pods = static_cast<std::int64_t>(count(work));
      for (const auto& [pod, since] : each.since) {
        if (!work.is_gang && since + *work.run_time <= last_) --pods;
      }
      all += pods * amounts(work).second;
    }
    EXPECT_LE(all, quotas_.at(admitted.tenant)) << "with " << admitted.name << (now.is_over ? ", which is over" : "");
  }

  void place(State& state, const trace::Work& work, const Event& event) {
    EXPECT_TRUE(state.is_admitted || !quotas_.contains(work.tenant)) << work.name << " has no quota";
    EXPECT_FALSE(state.on.contains(event.pod)) << work.name << " has a pod twice";
    EXPECT_GE(event.at, work.arrives);
    state.on[event.pod] = event.node;
    state.since[event.pod] = event.at;
    for (const auto& [node, amount] : used_at(event.at)) {
      EXPECT_LE(amount.first, capacity_.at(node).first) << node << " has too much at " << event.at.nanoseconds;
      EXPECT_LE(amount.second, capacity_.at(node).second) << node << " has too much at " << event.at.nanoseconds;
    }
  }

  void finish(State& state, const trace::Work&) {
    state.on.clear();
    state.is_over = true;
    ++over_;
  }

  std::map<std::string, std::pair<std::int64_t, std::int64_t>> capacity_;
  std::map<std::string, trace::Work> works_;
  std::map<std::string, State> states_;
  std::multimap<Duration, std::pair<std::string, std::string>> leaving_;
  Duration last_;
  std::map<std::string, std::int64_t> quotas_;  // by tenant
  std::size_t stops_ = 0;
  std::size_t arrived_ = 0;
  std::size_t over_ = 0;
};

std::vector<trace::Work> random_works(Rng& rng, std::size_t count) {
  std::vector<trace::Work> works;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(rng.below(60));
    const auto gpus = static_cast<std::int64_t>(rng.below(5));
    const auto priority = static_cast<std::int32_t>(rng.below(4) == 0 ? rng.below(3) : 0);
    const std::size_t pods = rng.below(3) == 0 ? 2 + rng.below(3) : 1;
    trace::Work one = work(fmt::format("w{}", i), at, static_cast<std::int64_t>(rng.below(400)),
                           pod_of(500 + static_cast<std::int64_t>(rng.below(4000)), gpus, priority), pods);
    one.is_gang = pods > 1 && rng.below(2) == 0;
    if (rng.below(6) == 0) one.deleted = Duration::seconds(at + static_cast<std::int64_t>(rng.below(500)));
    works.push_back(std::move(one));
  }
  return works;
}

class RandomTraces : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomTraces, NothingIsLostNothingIsOvercommittedAndEndsAreExact) {
  Rng rng(GetParam());
  const std::size_t count = 1 + rng.below(4);
  const kube::Objects cluster = nodes(count, 8, 4);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> capacity;
  for (std::size_t i = 0; i < count; ++i) capacity[fmt::format("n{}", i)] = {8000, 4};
  const std::vector<trace::Work> works = random_works(rng, 60);
  ListedWorks source(works);
  Invariants invariants(capacity, works);
  ReplayOptions options;
  options.sample_every = Duration::seconds(7);
  const Result<Summary> summary = replay(cluster, {}, source, options, invariants);
  ASSERT_TRUE(summary);
  invariants.check_end(*summary);
  const Outcome once = run(cluster, works);
  const Outcome again = run(cluster, works);
  EXPECT_EQ(once.lines, again.lines);
}

/// Two teams in a cohort, with a flavor for all nodes; a third one that no queue decides about.
kube::Objects with_queues(kube::Objects cluster, Rng& rng, std::map<std::string, std::int64_t>& most) {
  using kube::QueuePreemptionPolicy;
  cluster.of<kube::ResourceFlavor>().emplace_back().metadata.name = "all";
  const bool preempts = rng.below(2) == 0;
  const std::int64_t quotas[] = {4 + static_cast<std::int64_t>(rng.below(9)),
                                 4 + static_cast<std::int64_t>(rng.below(9))};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string team = fmt::format("team-{}", i);
    QueueBuilder queue(team);
    const bool borrows = rng.below(2) == 0;
    if (borrows) queue.cohort("org");
    queue.quotas("all", {{"cpu", "1000"}, {"nvidia.com/gpu", fmt::format("{}", quotas[i])}});
    if (preempts) queue.within(QueuePreemptionPolicy::kLowerPriority).reclaim(QueuePreemptionPolicy::kAny);
    if (rng.below(2) == 0) queue.strict();
    cluster.of<kube::ClusterQueue>().push_back(queue);
    kube::LocalQueue& local = cluster.of<kube::LocalQueue>().emplace_back();
    local.metadata.name = "queue";
    local.metadata.namespace_ = team;
    local.cluster_queue = team;
    most[team] = borrows ? quotas[0] + quotas[1] : quotas[i];
  }
  return cluster;
}

std::vector<trace::Work> of_teams(std::vector<trace::Work> works) {
  for (std::size_t i = 0; i < works.size(); ++i) {
    works[i].tenant = fmt::format("team-{}", i % 3);
    for (auto& alike : works[i].pods) {
      kube::Pod pod = *alike.pod;
      pod.metadata.namespace_ = works[i].tenant;
      alike.pod = std::make_shared<const kube::Pod>(std::move(pod));
    }
  }
  return works;
}

TEST_P(RandomTraces, NothingStartsWithoutQuotaAndQueuesGiveOutNoMoreThanTheyHave) {
  Rng rng(GetParam());
  const std::size_t count = 1 + rng.below(4);
  std::map<std::string, std::int64_t> most;
  const kube::Objects cluster = with_queues(nodes(count, 8, 4), rng, most);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> capacity;
  for (std::size_t i = 0; i < count; ++i) capacity[fmt::format("n{}", i)] = {8000, 4};
  const std::vector<trace::Work> works = of_teams(random_works(rng, 60));
  ListedWorks source(works);
  Invariants invariants(capacity, works);
  invariants.set_quotas(most);
  ReplayOptions options;
  options.sample_every = Duration::seconds(7);
  const Result<Summary> summary = replay(cluster, {}, source, options, invariants);
  ASSERT_TRUE(summary);
  invariants.check_end(*summary);
  ASSERT_EQ(summary->queues.size(), 2U);
  std::size_t stopped = 0;
  for (const QueueSummary& queue : summary->queues) {
    EXPECT_LE(queue.admitted, queue.arrived);
    stopped += queue.stopped;
    for (const QueueQuota& quota : queue.quotas) EXPECT_GE(quota.used, quota.borrowed);
  }
  EXPECT_EQ(stopped, invariants.stops());
  EXPECT_EQ(summary->without_queue, 20U);
  EXPECT_EQ(run(cluster, works).lines, run(cluster, works).lines);
}

/// The same works, whose pods request a resource that no node has, too.
std::vector<trace::Work> with_fpgas(std::vector<trace::Work> works) {
  for (trace::Work& work : works) {
    for (auto& alike : work.pods) {
      kube::PodSpec spec = *alike.pod->spec;
      spec.containers.front().resources.requests[kFpga] = kube::Quantity::of(1);
      kube::Pod pod = *alike.pod;
      pod.spec = std::make_shared<const kube::PodSpec>(std::move(spec));
      alike.pod = std::make_shared<const kube::Pod>(std::move(pod));
    }
  }
  return works;
}

TEST_P(RandomTraces, WhatTheProfileIgnoresChangesNothing) {
  Rng rng(GetParam());
  const kube::Objects cluster = nodes(1 + rng.below(4), 8, 4);
  const std::vector<trace::Work> works = random_works(rng, 60);
  const Outcome plain = run(cluster, works);
  for (const Leaving how : {Leaving::kIgnoredResource, Leaving::kIgnoredGroup, Leaving::kManagedByExtender}) {
    kube::SchedulerConfiguration configuration;
    leave_out(configuration.profiles[0], how);
    EXPECT_EQ(run(cluster, with_fpgas(works), {}, configuration).lines, plain.lines) << how;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraces, ::testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace loadline::replay
