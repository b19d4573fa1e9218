#include "brain/engine/unit_table.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::engine {

using decision::Unit;
using decision::UnitRecord;
using decision::UnitStage;

namespace {

using cluster::PodId;
using cluster::testing::pod;

struct UnitTableTest : placement::testing::PlacementFixture {
  UnitTable units{cluster_};

  Unit waiting_group(const std::string& name, int pods, std::int32_t priority = 0) {
    Unit unit;
    for (int i = 0; i < pods; ++i) {
      const PodId member = add(pod(name + '-' + std::to_string(i)).group(name).priority(priority + i));
      unit = Unit(cluster_.pod(member).group);
      units.open(unit).in_company().members.push_back(member);
    }
    return unit;
  }
};

TEST_F(UnitTableTest, RecordsStayWhereTheyAreUntilTheyAreClosed) {
  const PodId first = add(pod("first"));
  const UnitRecord* const record = &units.open(Unit(first));
  EXPECT_EQ(record->pods().data(), &record->unit.pod);
  for (int i = 0; i < 1000; ++i) units.open(Unit(add(pod("p" + std::to_string(i)))));
  EXPECT_EQ(&units.open(Unit(first)), record);
  EXPECT_EQ(units.find(Unit(first)), record);
}

TEST_F(UnitTableTest, ARecordThatIsUsedAgainKnowsNothingOfTheUnitBefore) {
  const Unit group = waiting_group("train", 3);
  UnitRecord& record = units.at(group);
  record.stage = UnitStage::kParked;
  record.failures.count = 4;
  record.parked.wakes.by_namespace = true;
  units.close(group);
  EXPECT_EQ(units.find(group), nullptr);
  EXPECT_TRUE(units.groups().empty());
  const UnitRecord& next = units.open(Unit(add(pod("other"))));
  EXPECT_EQ(&next, &record);
  EXPECT_EQ(next.stage, UnitStage::kHeld);
  EXPECT_EQ(next.failures.count, 0);
  EXPECT_FALSE(next.parked.wakes.by_namespace);
  EXPECT_EQ(next.company, nullptr);
  units.close(Unit(PodId{999U}));  // has none
}

TEST_F(UnitTableTest, AGroupStandsWhereItsBestPodStands) {
  const Unit group = waiting_group("train", 3, 5);
  EXPECT_EQ(units.priority(group), 7);
  EXPECT_EQ(std::get<0>(units.best_rank(units.at(group))), -7);
  const Unit single(add(pod("single").priority(2)));
  units.open(single);
  EXPECT_EQ(units.priority(single), 2);
  EXPECT_EQ(units.least(single), 1U);
  EXPECT_EQ(units.pods(single).size(), 1U);
  EXPECT_EQ(units.pods(group).size(), 3U);
}

}  // namespace
}  // namespace loadline::engine
