// Pods that stand under queued workloads, and lines that decide about these in rounds.
#include <string>
#include <utility>
#include <vector>

#include "brain/decision/line.h"
#include "brain/decision/queued_workload.h"
#include "brain/decision/why_text.h"
#include "brain/engine/testing/dispatcher_fixture.h"

namespace loadline::engine {

using decision::WorkloadId;
using enum decision::WorkloadStage;

namespace {

using testing::node;
using testing::pod;
using testing::PodId;

struct QueuedWorkloadsTest : testing::DispatcherFixture {
  PodId submit_under(const testing::PodBuilder& builder, const std::vector<WorkloadId>& under) {
    const PodId id = add(builder);
    dispatcher().add(id, under);
    return id;
  }
  WorkloadId open() { return dispatcher().workloads().open({}); }
  void admit(WorkloadId id) {
    if (dispatcher().workloads().at(id).stage == kPending) dispatcher().workloads().advance(id, kReserved);
    dispatcher().workloads().advance(id, kAdmitted);
  }
  bool has_node(PodId id) { return cluster_.pod(id).node.valid(); }
};

TEST_F(QueuedWorkloadsTest, APodWaitsForAllOfThem) {
  add(node("a"));
  const WorkloadId kueue = open();
  const WorkloadId volcano = open();
  const PodId id = submit_under(pod("p"), {kueue, volcano});
  EXPECT_TRUE(take_turns().empty());
  EXPECT_EQ(decision::text(cluster_, *dispatcher().held_by_group(id)), "waiting for the admission of its workload");
  admit(volcano);
  EXPECT_TRUE(take_turns().empty());
  admit(kueue);
  EXPECT_EQ(take_turns().size(), 1U);
  EXPECT_TRUE(has_node(id));
  EXPECT_TRUE(dispatcher().workloads().at(kueue).waiting.empty());
}

TEST_F(QueuedWorkloadsTest, AGroupWaitsForTheWorkloadOfAnyMember) {
  add(node("a"));
  describe("train", 2);
  const WorkloadId workload = open();
  const PodId first = submit(pod("first").group("train"));
  const PodId second = submit_under(pod("second").group("train"), {workload});
  EXPECT_TRUE(take_turns().empty());
  admit(workload);
  EXPECT_EQ(take_turns().size(), 1U);
  EXPECT_TRUE(has_node(first));
  EXPECT_TRUE(has_node(second));
}

TEST_F(QueuedWorkloadsTest, WhatIsNoLongerAdmittedHasNoTurn) {
  const WorkloadId workload = open();
  admit(workload);
  const PodId id = submit_under(pod("p"), {workload});
  EXPECT_EQ(take_turns().size(), 1U);  // in vain: there is no node
  dispatcher().workloads().advance(workload, kLeaving);
  add(node("a"));
  dispatcher().capacity_freed();
  EXPECT_TRUE(take_turns().empty());
  EXPECT_FALSE(has_node(id));
  dispatcher().workloads().advance(workload, kPending);
  admit(workload);
  EXPECT_EQ(take_turns().size(), 1U);
  EXPECT_TRUE(has_node(id));
}

TEST_F(QueuedWorkloadsTest, APodThatIsWithdrawnStandsUnderNone) {
  const WorkloadId workload = open();
  dispatcher().withdraw(submit_under(pod("p"), {workload}));
  EXPECT_TRUE(dispatcher().workloads().at(workload).waiting.empty());
  dispatcher().workloads().close(workload);
}

/// Admits one workload in each round.
struct OneByOne final : decision::Line {
  OneByOne(decision::QueuedWorkloads& all, std::vector<WorkloadId> waiting) : all_(all), waiting_(std::move(waiting)) {}
  [[nodiscard]] bool is_due(Instant) const override { return !waiting_.empty(); }
  void decide_round(decision::Doors&, Instant now) override {
    rounds.push_back(now);
    all_.advance(waiting_.back(), kReserved);
    all_.advance(waiting_.back(), kAdmitted);
    waiting_.pop_back();
  }
  std::vector<Instant> rounds;

 private:
  decision::QueuedWorkloads& all_;
  std::vector<WorkloadId> waiting_;
};

TEST_F(QueuedWorkloadsTest, ALineHasARoundWheneverItIsDue) {
  add(node("a"));
  std::vector<WorkloadId> workloads;
  for (int i = 0; i < 3; ++i) {
    workloads.push_back(open());
    submit_under(pod("p" + std::to_string(i)), {workloads.back()});
  }
  OneByOne line(dispatcher().workloads(), workloads);
  dispatcher().attach(line);
  dispatcher().set_now({7});
  EXPECT_TRUE(dispatcher().has_next());
  EXPECT_EQ(take_turns().size(), 3U);
  EXPECT_EQ(line.rounds, (std::vector<Instant>{{7}, {7}, {7}}));
  EXPECT_FALSE(dispatcher().has_next());
}

/// Is due at a time, once.
struct Timed final : decision::Line {
  [[nodiscard]] bool is_due(Instant now) const override { return at && now >= *at; }
  [[nodiscard]] std::optional<Instant> due_at() const override { return at; }
  void decide_round(decision::Doors&, Instant) override {
    at.reset();
    ++rounds;
  }
  std::optional<Instant> at = Instant{50};
  int rounds = 0;
};

TEST_F(QueuedWorkloadsTest, ALineMayBeDueAtATime) {
  Timed line;
  dispatcher().attach(line);
  dispatcher().set_now({7});
  EXPECT_FALSE(dispatcher().has_next());
  EXPECT_EQ(dispatcher().next_deadline(), Instant{50});
  dispatcher().elapse({50});
  EXPECT_TRUE(dispatcher().has_next());
  EXPECT_TRUE(take_turns().empty());
  EXPECT_EQ(line.rounds, 1);
  EXPECT_EQ(dispatcher().next_deadline(), std::nullopt);
}

/// Parked units are asked anew every five minutes from the beginning on, where anything has happened; never earlier
/// than now, however long nothing has.
TEST_F(QueuedWorkloadsTest, WhatIsDueEveryFiveMinutesStaysOnItsGrid) {
  const auto at = [](std::int64_t seconds) { return Instant{0} + Duration::seconds(seconds); };
  dispatcher().set_now(at(0));
  submit(pod("p"));
  take_turns();  // in vain: there is no node
  EXPECT_EQ(dispatcher().next_deadline(), std::nullopt);
  dispatcher().set_now(at(1000));
  dispatcher().changed();
  EXPECT_EQ(dispatcher().next_deadline(), at(1200));
  dispatcher().elapse(at(1100));
  EXPECT_EQ(dispatcher().next_deadline(), at(1200));
  dispatcher().set_now(at(1201));  // its host is late
  EXPECT_EQ(dispatcher().next_deadline(), at(1200));
  dispatcher().elapse(at(1202));
  EXPECT_TRUE(dispatcher().has_next());
  EXPECT_EQ(dispatcher().next_deadline(), std::nullopt);
}

}  // namespace
}  // namespace loadline::engine
