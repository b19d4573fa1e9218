#include "brain/cluster/ledgers/counters_by_label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadline::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CountersByLabelTest : public ::testing::Test {
 protected:
  Label label(const char* key, const char* value) { return {symbols_.intern(key), symbols_.intern(value)}; }
  std::vector<std::size_t> candidates(const kube::StringMap& labels, std::size_t first = 0) {
    std::vector<std::size_t> indexes;
    for (const CounterId id : counters_.candidates(LabelSet(labels, symbols_), first)) indexes.push_back(id.index());
    return indexes;
  }

  SymbolTable symbols_;
  CountersByLabel counters_;
};

TEST_F(CountersByLabelTest, FindsWhatMayCountAPod) {
  counters_.add(CounterId{0}, {});
  counters_.add(CounterId{1}, {label("app", "web")});
  counters_.add(CounterId{2}, {label("app", "db")});
  counters_.add(CounterId{3}, {label("app", "web"), label("tier", "gold")});
  EXPECT_THAT(candidates({{"app", "web"}}), ElementsAre(0, 1)) << "the third is found by its rarer label";
  EXPECT_THAT(candidates({{"app", "web"}, {"tier", "gold"}}), ElementsAre(0, 1, 3));
  EXPECT_THAT(candidates({{"app", "web"}, {"tier", "gold"}}, 1), ElementsAre(1, 3));
  EXPECT_THAT(candidates({}), ElementsAre(0));
}

TEST_F(CountersByLabelTest, AnIdThatComesAgainIsInOrder) {
  counters_.add(CounterId{0}, {label("app", "web")});
  counters_.add(CounterId{1}, {label("app", "web")});
  counters_.remove(CounterId{0}, {label("app", "web")});
  EXPECT_THAT(candidates({{"app", "web"}}), ElementsAre(1));
  counters_.add(CounterId{0}, {label("app", "web")});
  EXPECT_THAT(candidates({{"app", "web"}}), ElementsAre(0, 1));
  counters_.remove(CounterId{0}, {label("app", "web")});
  counters_.remove(CounterId{1}, {label("app", "web")});
  EXPECT_THAT(candidates({{"app", "web"}}), IsEmpty());
}

}  // namespace
}  // namespace loadline::cluster
