#include "brain/cluster/ledgers/change_log.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace loadline::cluster {
namespace {

using Nodes = std::optional<std::vector<NodeId>>;

constexpr std::nullopt_t kForgotten = std::nullopt;

Nodes since(const ChangeLog& log, ChangeLog::Mark mark) {
  const auto changes = log.since(mark);
  if (!changes) return std::nullopt;
  return std::vector<NodeId>(changes->begin(), changes->end());
}

TEST(ChangeLogTest, WhoHasSeenNothingIsBehindEverything) { EXPECT_EQ(since(ChangeLog(), 0), kForgotten); }

TEST(ChangeLogTest, ChangesComeInOrderEachTimeTheyHappen) {
  ChangeLog log;
  const ChangeLog::Mark start = log.end();
  for (const std::size_t node : {5U, 3U, 5U}) log.note(NodeId{node}, 10);
  EXPECT_EQ(since(log, start), (Nodes({NodeId{5}, NodeId{3}, NodeId{5}})));
  EXPECT_EQ(since(log, start + 2), Nodes({NodeId{5}}));
  EXPECT_EQ(since(log, log.end()), Nodes(std::vector<NodeId>{}));
}

TEST(ChangeLogTest, AsManyAreRememberedAsAskedForAndNotManyMore) {
  ChangeLog log;
  const ChangeLog::Mark start = log.end();
  for (std::size_t i = 0; i < 100; ++i) log.note(NodeId{i}, 10);
  EXPECT_EQ(since(log, start), kForgotten);
  EXPECT_EQ(since(log, log.end() - 10)->size(), 10U);
  EXPECT_EQ(since(log, log.end() - 10)->front(), NodeId{90});
  EXPECT_EQ(since(log, log.end() - 21), kForgotten);
}

TEST(ChangeLogTest, AChangeOfEverythingIsForgottenAtOnce) {
  ChangeLog log;
  const ChangeLog::Mark before = log.end();
  log.note_all();
  EXPECT_EQ(since(log, before), kForgotten);
  EXPECT_EQ(since(log, log.end()), Nodes(std::vector<NodeId>{}));
}

}  // namespace
}  // namespace loadline::cluster
