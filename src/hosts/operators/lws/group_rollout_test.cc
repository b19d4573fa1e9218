#include "hosts/operators/lws/group_rollout.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace loadline::operators {
namespace {

kube::LeaderWorkerSet set_of(std::int32_t replicas, std::int32_t unavailable = 1, std::int32_t surge = 0) {
  kube::LeaderWorkerSet set;
  set.replicas = replicas;
  set.max_unavailable = {unavailable, {}};
  set.max_surge = {surge, {}};
  return set;
}

/// A letter for each group: "+" is ready and updated, "o" is ready and old, "." is neither ready nor updated, "u" is
/// updated and not ready.
LeadersState leaders_of(std::string_view groups, std::int32_t partition, std::int32_t noted) {
  LeadersState leaders{static_cast<std::int32_t>(groups.size()), partition, noted, {}};
  std::int32_t index = 0;
  for (const char c : groups) leaders.groups[index++] = {c == '+' || c == 'o', c == '+' || c == 'u'};
  return leaders;
}

std::string target(const kube::LeaderWorkerSet& set, std::string_view groups, std::int32_t partition,
                   std::int32_t noted, bool is_new = false) {
  const LeadersState leaders = leaders_of(groups, partition, noted);
  const LeadersTarget found = leaders_target(set, &leaders, is_new);
  return std::to_string(found.replicas) + " from " + std::to_string(found.partition);
}

TEST(GroupRollout, BeginsWithAllGroups) {
  EXPECT_EQ(leaders_target(set_of(3), nullptr, false), (LeadersTarget{0, 3}));
  EXPECT_EQ(target(set_of(3), "+++", 0, 3), "3 from 0") << "nothing to do";
}

TEST(GroupRollout, KeepsAllGroupsFirstAndReplacesTheLastThen) {
  EXPECT_EQ(target(set_of(3), "ooo", 0, 3, true), "3 from 3");
  EXPECT_EQ(target(set_of(3), "ooo", 3, 3), "3 from 2");
  EXPECT_EQ(target(set_of(3), "oo.", 2, 3), "3 from 2") << "the one that goes has to come back first";
  EXPECT_EQ(target(set_of(3), "oo+", 2, 3), "3 from 1");
  EXPECT_EQ(target(set_of(3), "+++", 1, 3), "3 from 0");
  EXPECT_EQ(target(set_of(4, 2), "oooo", 4, 4), "4 from 2") << "two at a time";
}

TEST(GroupRollout, WhatIsNotReadyDoesNotHoldItUp) {
  EXPECT_EQ(target(set_of(3), "...", 3, 3), "3 from 2");
  EXPECT_EQ(target(set_of(3), ".oo", 3, 3), "3 from 3") << "one is not available already";
  EXPECT_EQ(target(set_of(3), "o..", 3, 3), "3 from 2");
}

TEST(GroupRollout, SurplusGroupsComeFirstAndGoLast) {
  EXPECT_EQ(target(set_of(2, 0, 1), "oo", 0, 2, true), "3 from 2");
  EXPECT_EQ(target(set_of(2, 0, 1), "oo.", 2, 2), "3 from 2");
  EXPECT_EQ(target(set_of(2, 0, 1), "oo+", 2, 2), "3 from 1");
  EXPECT_EQ(target(set_of(2, 0, 1), "o++", 1, 2), "3 from 0") << "one that is wanted is old yet";
  EXPECT_EQ(target(set_of(2, 1, 1), "o++", 1, 2), "2 from 0") << "one may be unavailable";
  EXPECT_EQ(target(set_of(2, 0, 1), "+++", 0, 2), "2 from 0");
  EXPECT_EQ(target(set_of(2, 0, 5), "oo", 0, 2, true), "4 from 2") << "no more than twice as many";
}

TEST(GroupRollout, ScalingComesFirst) {
  EXPECT_EQ(target(set_of(4), "oo", 0, 2, true), "4 from 2");
  EXPECT_EQ(target(set_of(4), "oo", 1, 2), "4 from 1") << "the partition stays until they are there";
  EXPECT_EQ(target(set_of(1), "ooo", 2, 3), "1 from 1");
}

TEST(GroupRollout, GroupsBelowThePartitionOfTheSetStay) {
  kube::LeaderWorkerSet set = set_of(3);
  set.partition = 2;
  EXPECT_EQ(target(set, "oo+", 2, 3), "3 from 2");
  EXPECT_EQ(leaders_target(set, nullptr, false), (LeadersTarget{2, 3}));
}

TEST(GroupRollout, CostsWhatIsThereHoweverManyAreWanted) {
  constexpr std::int32_t kMost = 2147483647;
  LeadersState leaders{kMost, kMost, kMost, {}};
  EXPECT_EQ(leaders_target(set_of(kMost), &leaders, false), (LeadersTarget{kMost - 1, kMost}));
  leaders.groups[0] = {true, false};
  leaders.groups[kMost - 1] = {true, true};
  EXPECT_EQ(leaders_target(set_of(kMost), &leaders, false).replicas, kMost);
  EXPECT_EQ(leaders_target(set_of(kMost, 1, kMost), &leaders, true), (LeadersTarget{kMost, kMost}))
      << "there is no number beyond it";
}

/// Against the same by the words of its source: an array of all groups, and a walk over it.
TEST(GroupRollout, TellsWhatAWalkOverAllGroupsTells) {
  const auto walk = [](const std::string& groups, std::int32_t partition, std::int32_t step) {
    const auto size = static_cast<std::int32_t>(groups.size());
    std::int32_t done = 0;
    while (done < size && groups[static_cast<std::size_t>(size - 1 - done)] == '+') ++done;
    const std::int32_t lowest = std::max(0, size - done - step);
    std::int32_t target = lowest;
    for (std::int32_t i = 0; i < lowest; ++i) {
      const char group = groups[static_cast<std::size_t>(i)];
      target += group == '+' || group == 'o' ? 0 : 1;
    }
    for (std::int32_t i = std::min(target, size - 1); i >= lowest; --i) {
      if (groups[static_cast<std::size_t>(i)] == 'o') break;
      target = i;
    }
    return std::min(target, partition);
  };
  for (int number = 0; number < 4 * 4 * 4 * 4 * 4; ++number) {
    std::string groups;
    for (int i = 0, rest = number; i < 5; ++i, rest /= 4) groups += "+o.u"[rest % 4];
    for (const std::int32_t step : {1, 2}) {
      const std::string expected = "5 from " + std::to_string(walk(groups, 5, step));
      EXPECT_EQ(target(set_of(5, step), groups, 5, 5), expected) << groups << " " << step;
    }
  }
}

}  // namespace
}  // namespace loadline::operators
