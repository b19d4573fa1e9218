// Loops that Kueue's users report of, each of the same shape as theirs: without an end as upstream decides, and how
// they end here. docs/queues.md lists them.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brain/queue/kueue/testing/stopped_jobs.h"

namespace loadline::queue::kueue {
namespace {

using testing::QueueBuilder;
using testing::StoppedJobs;
using testing::WorkloadBuilder;
using Preempts = testing::QueuePreemptionPolicy;
using GpusAndMemory = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kManyPreemptions = 100;

GpusAndMemory both(const std::string& gpus, const std::string& memory) { return {{"gpu", gpus}, {"memory", memory}}; }

Settings fairly() {
  Settings settings;
  settings.fair_sharing.emplace();
  return settings;
}

struct Reported {
  Settings settings;
  std::function<void(StoppedJobs&)> play;
};

/// As upstream decides, there is no end.
void expect_endless(const Reported& reported) {
  StoppedJobs jobs(reported.settings, RepeatedPreemption::kAsUpstream);
  reported.play(jobs);
  EXPECT_FALSE(jobs.settles(kManyPreemptions));
}

/// Who was preempted for whom until rounds ended, "b for a, …", and what was said last of each.
std::pair<std::string, std::map<std::string, std::string>> ended(const Reported& reported) {
  StoppedJobs jobs(reported.settings, RepeatedPreemption::kRefused);
  reported.play(jobs);
  EXPECT_TRUE(jobs.settles(kManyPreemptions));
  std::string text;
  for (const auto& [victim, preemptor] : jobs.preemptions) {
    text += (text.empty() ? "" : ", ") + jobs.world.name(victim) + " for " + jobs.world.name(preemptor);
  }
  return {text, jobs.said};
}

// kueue#3779: who reclaims borrows of another resource, so its share is higher than that of its victim, which is
// admitted again in front of it.
TEST(ReportedLoops, AVictimOfLowerShareComesBackBeforeItsPreemptor) {
  const Reported reported = {
      fairly(), [](StoppedJobs& jobs) {
        jobs.world.add(QueueBuilder("besteffort")
                           .cohort("root")
                           .quotas("f", both("1", "3"))
                           .within(Preempts::kLowerPriority)
                           .reclaim(Preempts::kLowerPriority));
        jobs.world.add(QueueBuilder("guaranteed")
                           .cohort("root")
                           .quotas("f", both("3", "0"))
                           .within(Preempts::kLowerPriority)
                           .reclaim(Preempts::kLowerPriority));
        jobs.world.add(QueueBuilder("idle").cohort("root").quotas("f", both("0", "3")));
        jobs.submit(WorkloadBuilder("low", "besteffort").pods(1, both("2", "2")).created(1));
        jobs.settles(kManyPreemptions);
        jobs.submit(WorkloadBuilder("high", "guaranteed").pods(1, both("3", "2")).priority(2).created(2));
      }};
  expect_endless(reported);
  const auto [preemptions, said] = ended(reported);
  EXPECT_EQ(preemptions, "low for high");
  EXPECT_EQ(said.at("high"), "admitted f f");
  EXPECT_EQ(said.at("low"), "no victims");
}

// kueue#13662: two victims leave one after the other, and each comes back before the last one has left.
TEST(ReportedLoops, QuotaThatComesFreeInPartsIsKeptForWhomItCameFree) {
  const Reported reported = {
      fairly(), [](StoppedJobs& jobs) {
        jobs.world.add(QueueBuilder("besteffort")
                           .cohort("root")
                           .quotas("f", both("0", "4"))
                           .weight("4")
                           .reclaim(Preempts::kLowerPriority));
        jobs.world.add(
            QueueBuilder("guaranteed").cohort("root").quotas("f", both("4", "0")).reclaim(Preempts::kLowerPriority));
        for (const char* name : {"v1", "v2"}) {
          jobs.submit(WorkloadBuilder(name, "besteffort").pods(1, both("2", "1")).created(1));
          jobs.settles(kManyPreemptions);
        }
        jobs.submit(WorkloadBuilder("high", "guaranteed").pods(1, both("4", "2")).priority(2).created(3));
      }};
  expect_endless(reported);
  const auto [preemptions, said] = ended(reported);
  EXPECT_EQ(preemptions.size(), std::string("v1 for high, v2 for high").size()) << preemptions;
  EXPECT_EQ(said.at("high"), "admitted f f");
}

// kueue#14543: victims of its own queue, that are spared in the end, make victims of other queues seem fair.
TEST(ReportedLoops, VictimsThatOnlySpareOnesMadeFair) {
  const Reported reported = {
      fairly(), [](StoppedJobs& jobs) {
        jobs.world.add(QueueBuilder("a")
                           .cohort("root")
                           .quota("f", "3")
                           .weight("0")
                           .within(Preempts::kLowerOrNewerEqualPriority)
                           .reclaim(Preempts::kAny));
        jobs.world.add(
            QueueBuilder("b").cohort("root").quota("f", "3").within(Preempts::kLowerPriority).reclaim(Preempts::kAny));
        jobs.submit(WorkloadBuilder("own", "a").gpus("1").priority(1).created(1));
        jobs.settles(kManyPreemptions);
        jobs.submit(WorkloadBuilder("other", "b").gpus("4").priority(1).created(2));
        jobs.settles(kManyPreemptions);
        jobs.submit(WorkloadBuilder("large", "a").gpus("3").priority(2).created(3));
      }};
  expect_endless(reported);
  const auto [preemptions, said] = ended(reported);
  EXPECT_EQ(preemptions, "other for large");
  EXPECT_EQ(said.at("large"), "admitted f");
  EXPECT_EQ(said.at("other"), "no victims");
}

// kueue#2821: without PrioritySortingWithinCohort, the older victim comes before whoever preempted it to borrow.
TEST(ReportedLoops, AnOlderVictimComesBackWherePriorityDoesNotSort) {
  Settings settings;
  settings.sorts_by_priority = false;
  const Reported reported = {settings, [](StoppedJobs& jobs) {
                               jobs.world.add(QueueBuilder("a")
                                                  .cohort("root")
                                                  .quota("f", "1")
                                                  .reclaim(Preempts::kLowerPriority)
                                                  .borrow_within(Preempts::kLowerPriority));
                               jobs.world.add(QueueBuilder("b").cohort("root").quota("f", "1"));
                               jobs.world.add(QueueBuilder("idle").cohort("root").quota("f", "2"));
                               jobs.submit(WorkloadBuilder("low", "b").gpus("4").created(1));
                               jobs.settles(kManyPreemptions);
                               jobs.submit(WorkloadBuilder("high", "a").gpus("4").priority(2).created(2));
                             }};
  expect_endless(reported);
  EXPECT_EQ(ended(reported).first, "low for high");
  EXPECT_EQ(ended(reported).second.at("high"), "admitted f");
}

// kueue#6774: in queues of weight zero each may have the other preempted; here over a third one.
TEST(ReportedLoops, ACircleOfFairShares) {
  Settings settings = fairly();
  settings.fair_sharing->preemption_strategies = {kube::FairSharingStrategy::kLessThanInitialShare};
  const Reported reported = {settings, [](StoppedJobs& jobs) {
                               const auto add = [&](const char* name, const GpusAndMemory& nominal,
                                                    const char* weight) {
                                 jobs.world.add(QueueBuilder(name)
                                                    .cohort("root")
                                                    .quotas("f", nominal)
                                                    .weight(weight)
                                                    .within(Preempts::kLowerOrNewerEqualPriority)
                                                    .reclaim(Preempts::kAny));
                               };
                               add("a", both("0", "2"), "2");
                               add("b", both("2", "0"), "0");
                               add("c", both("4", "0"), "2");
                               jobs.submit(WorkloadBuilder("w0", "b").pods(1, both("2", "2")).priority(1).created(1));
                               jobs.decide_and_stop(2);
                               jobs.submit(WorkloadBuilder("w1", "a").pods(1, both("1", "2")).priority(1).created(2));
                               jobs.decide_and_stop(0);
                               jobs.submit(WorkloadBuilder("w2", "a").pods(1, both("4", "1")).priority(2).created(3));
                               jobs.decide_and_stop(0);
                               jobs.submit(WorkloadBuilder("w3", "c").pods(1, both("3", "1")).priority(1).created(4));
                             }};
  expect_endless(reported);
  const auto [preemptions, said] = ended(reported);
  EXPECT_EQ(preemptions, "w1 for w2, w2 for w3");
  EXPECT_EQ(said.at("w1"), "spared") << "w3 would have to leave for it, for which w2 left, for which it left";
  EXPECT_EQ(said.at("w3"), "admitted f f");
}

TEST(ReportedLoops, ACircleByPriorityAndReclamation) {
  const Reported reported = {{}, [](StoppedJobs& jobs) {
                               jobs.world.add_cohort("left", "root");
                               jobs.world.add_cohort("right", "root");
                               jobs.world.add(QueueBuilder("a")
                                                  .cohort("left")
                                                  .quotas("f", both("2", "2"))
                                                  .within(Preempts::kLowerOrNewerEqualPriority)
                                                  .reclaim(Preempts::kAny));
                               jobs.world.add(QueueBuilder("b")
                                                  .cohort("right")
                                                  .quotas("f", both("4", "0"))
                                                  .within(Preempts::kLowerOrNewerEqualPriority)
                                                  .reclaim(Preempts::kAny)
                                                  .borrow_within(Preempts::kLowerPriority));
                               jobs.submit(WorkloadBuilder("w0", "a").pods(1, both("3", "1")).created(1));
                               jobs.submit(WorkloadBuilder("w1", "a").pods(1, both("2", "2")).created(2));
                               jobs.decide_and_stop(2);
                               jobs.submit(WorkloadBuilder("w2", "b").pods(1, both("4", "1")).priority(2).created(3));
                             }};
  expect_endless(reported);
  const auto [preemptions, said] = ended(reported);
  EXPECT_EQ(preemptions, "w0 for w2, w2 for w1");
  EXPECT_EQ(said.at("w0"), "spared");
}

// kueue#6947: the larger of two that wait never fits, and the other one starts in what came free for it.
TEST(ReportedLoops, OneThatNeverFitsDoesNotTakeTheTurnOfOneThatReclaims) {
  for (const RepeatedPreemption repeated : {RepeatedPreemption::kAsUpstream, RepeatedPreemption::kRefused}) {
    StoppedJobs jobs({}, repeated);
    jobs.world.add(QueueBuilder("a").cohort("root").quota("f", "3").reclaim(Preempts::kAny));
    jobs.world.add(QueueBuilder("b").cohort("root").quota("f", "0"));
    jobs.submit(WorkloadBuilder("one", "b").gpus("1").created(1));
    jobs.settles(kManyPreemptions);
    jobs.submit(WorkloadBuilder("four", "a").gpus("4").created(2));
    jobs.submit(WorkloadBuilder("three", "a").gpus("3").created(3));
    EXPECT_TRUE(jobs.settles(1));
    EXPECT_EQ(jobs.said.at("three"), "admitted f");
    EXPECT_EQ(jobs.said.at("four"), "no fit");
  }
}

// kueue#2596: one round decides about all who are not in each other's way.
TEST(ReportedLoops, TwoOfOneCohortPreemptInOneRound) {
  StoppedJobs jobs({}, RepeatedPreemption::kRefused);
  for (const char* name : {"a", "b"}) {
    jobs.world.add(QueueBuilder(name).cohort("root").quota("f", "2").within(Preempts::kLowerPriority));
    jobs.submit(WorkloadBuilder(std::string("low-") + name, name).gpus("2").created(1));
    jobs.settles(0);
  }
  jobs.submit(WorkloadBuilder("high-a", "a").gpus("2").priority(1).created(2));
  jobs.submit(WorkloadBuilder("high-b", "b").gpus("2").priority(1).created(3));
  jobs.decide_and_stop(0);
  EXPECT_EQ(jobs.said.at("high-a"), "preempting low-a:own");
  EXPECT_EQ(jobs.said.at("high-b"), "preempting low-b:own");
}

}  // namespace
}  // namespace loadline::queue::kueue
