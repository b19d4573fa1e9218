#include "app/report/starts.h"

#include <gmock/gmock.h>

#include "foundation/document/writer.h"

namespace loadline::report {
namespace {

using decision::PassingRule;

constexpr Instant kOne = Instant{} + Duration::seconds(3600);

TEST(Starts, SayWhenWhereAndWhoIsAwaited) {
  simulator::StartPlan start{kOne, Duration::seconds(600), {"n1", "n2"}, {{"Job", "ml", "old"}}};
  EXPECT_EQ(start_text(start), "starts at 1970-01-01T01:00:00Z (in 10m) on n1, n2, once these have ended: Job ml/old");
  start.awaits.clear();
  start.nodes = {"n1", "n2", "n3", "n4", "n5", "n6"};
  EXPECT_EQ(start_text(start), "starts at 1970-01-01T01:00:00Z (in 10m) on n1, n2, n3, n4 and 2 more nodes");
}

TEST(Starts, ThatWerePassedSayByWhichRule) {
  const auto text = [](PassingRule rule) { return passed_text({"pod group ml/train", kOne, rule}); };
  EXPECT_EQ(text(PassingRule::kEndsBefore),
            "passes pod group ml/train, which is planned to start at 1970-01-01T01:00:00Z: it ends by then");
  EXPECT_THAT(text(PassingRule::kFitsBeside), ::testing::EndsWith(": the places planned for that hold beside it"));
  EXPECT_THAT(text(PassingRule::kMovedBeside),
              ::testing::EndsWith(": it went where the places planned for that hold beside it"));
  EXPECT_THAT(text(PassingRule::kPlannedAnew),
              ::testing::EndsWith(": there are other places for that at the same time"));
  EXPECT_EQ(document::write_json(document::Value(passed_array({{"pod ml/dev", kOne, PassingRule::kPlannedAnew}}))),
            R"([{"unit":"pod ml/dev","plannedStart":"1970-01-01T01:00:00Z","rule":"PlannedAnew","text":"passes pod )"
            R"(ml/dev, which is planned to start at 1970-01-01T01:00:00Z: there are other places for that at the same )"
            R"(time"}])");
}

}  // namespace
}  // namespace loadline::report
