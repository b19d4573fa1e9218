#include "app/report/group_search_text.h"

#include <gtest/gtest.h>

namespace loadline::report {
namespace {

using gang::SearchEnding;
using gang::SearchProof;
using gang::SearchReport;

std::string proven(SearchProof proof, std::uint64_t steps = 0) {
  return group_search_text({SearchEnding::kProven, std::move(proof), steps, 1000});
}

TEST(GroupSearchText, SaysWhatAProofRestsOn) {
  EXPECT_EQ(proven({SearchProof::Cause::kAlone, {{"a-0", 5}}, "", 5, 4, 3}),
            "Proven: 5 pods like a-0 have to find a place, and there is room for 4.");
  EXPECT_EQ(proven({SearchProof::Cause::kAlone, {{"a-0", 1}}, "", 1, 0, 0}),
            "Proven: no node takes a pod like a-0, and 1 has to find a place.");
  EXPECT_EQ(proven({SearchProof::Cause::kSum, {{"a-0", 1}, {"b-0", 2}}, "cpu", 2500, 2000, 3}),
            "Proven: 1 pod like a-0 and 2 like b-0 need 2.5 cpu, and 2 can be used on the nodes that they may go to.");
  EXPECT_EQ(proven({SearchProof::Cause::kShared, {{"a-0", 1}, {"b-0", 2}, {"c-0", 3}, {"d-0", 4}}, "", 10, 0, 1}),
            "Proven: of 1 pod like a-0, 2 like b-0 and 7 others, 10 have to find a place on 1 node, which has room for "
            "none.");
  EXPECT_EQ(proven({}, 214), "Proven: all other places were tried, in 214 steps.");
}

TEST(GroupSearchText, SaysWhatIsNotKnown) {
  EXPECT_EQ(group_search_text({SearchEnding::kBudget, {}, 200'001, 200'000}),
            "Not proven: the search for other places ended after 200,000 steps.");
}

}  // namespace
}  // namespace loadline::report
