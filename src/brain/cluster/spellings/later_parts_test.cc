#include "brain/cluster/spellings/later_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadline::cluster::spellings {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(LaterParts, AreReadAsTheyAreWritten) {
  const std::vector<WrittenPart> parts = {
      {"workers", 2, {{"example.com/index", "0", true}}},
      {"followers of w", 3, {{"job", "w", false}, {"rank", "0", true}}, "example.com/job-index", 4}};
  const std::string text = write_later_parts(parts);
  EXPECT_EQ(text, "workers: 2 of example.com/index!=0; followers of w: 3 of job=w&rank!=0, 4 by example.com/job-index");
  EXPECT_EQ(read_later_parts(text), parts);
}

TEST(LaterParts, OfWhichOneCannotBeReadCountForNothing) {
  for (const char* text : {"workers", "workers: many of a=b", "workers: 0 of a=b", "workers: 2 of a",
                           "workers: 2 of a=b, 2 of c", "workers: 2 of a=b; more"}) {
    EXPECT_EQ(read_later_parts(text), std::nullopt) << text;
    kube::ObjectMeta object;
    object.annotations.emplace(std::string(kLaterParts), text);
    SymbolTable symbols;
    GroupRules rules;
    add_order_of_creation(object, symbols, rules);
    EXPECT_THAT(rules.later, IsEmpty()) << text;
  }
}

TEST(LaterParts, WithTheNameOfASubgroupAreIt) {
  kube::ObjectMeta object;
  object.annotations.emplace(std::string(kLaterParts), "work: 2 of task=work");
  object.annotations.emplace(std::string(kStartsAfter), "driver, store");
  SymbolTable symbols;
  GroupRules rules;
  rules.subgroups.resize(2);
  rules.subgroups[1].name = "work";
  rules.subgroups[1].min_count = 2;
  add_order_of_creation(object, symbols, rules);
  ASSERT_THAT(rules.later, SizeIs(1));
  EXPECT_THAT(rules.later[0].subgroups, ElementsAre(Pair(1, 2)));
  EXPECT_THAT(rules.starts_after, ElementsAre("driver", "store"));
}

}  // namespace
}  // namespace loadline::cluster::spellings
