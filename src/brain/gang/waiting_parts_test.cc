// Workloads that are created part by part, and hold room between two of the parts.
#include "brain/gang/waiting_parts.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "brain/cluster/spellings/later_parts.h"
#include "brain/decision/eviction_text.h"
#include "brain/engine/testing/dispatcher_fixture.h"

namespace loadline::gang {
namespace {

using decision::Eviction;
using engine::testing::GroupId;
using engine::testing::node;
using engine::testing::pod;
using engine::testing::PodId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Instant kStart = Instant{} + Duration::seconds(1'000'000);
constexpr Instant kInTheEnd = kStart + PartialStarts::kPatience;

class WaitingPartsTest : public engine::testing::DispatcherFixture {
 protected:
  void describe_part(const std::string& name, std::int32_t min_count, const std::string& annotation,
                     const std::string& text) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = min_count;
    group.metadata.annotations.emplace(annotation, text);
    cluster_.set_pod_group(group);
  }
  PodId member(const std::string& group, const std::string& rank, std::int32_t priority = 0) {
    const PodId id = submit(pod(group + '-' + rank)
                                .label("rank", rank)
                                .request("cpu", "1")
                                .priority(priority)
                                .never_preempts()
                                .group(group));
    take_turns();
    if (cluster_.pod(id).node.valid()) cluster_.set_group_started(cluster_.find_group("default", group));
    return id;
  }
  /// A leader that has a node, and two workers that have none.
  std::vector<PodId> stuck(const std::string& name, std::int32_t priority = 0) {
    describe_part(name, 3, std::string(cluster::spellings::kLaterParts), "workers: 2 of rank!=0");
    return {member(name, "0", priority)};
  }
  void add_workers(const std::string& name, std::vector<PodId>& pods, std::int32_t priority = 0) {
    for (const char* rank : {"1", "2"}) pods.push_back(member(name, rank, priority));
  }
  void leave(const std::vector<Eviction>& releases) {
    for (const Eviction& each : releases) {
      for (const PodId id : each.pods) {
        dispatcher().leaving(id);
        cluster_.remove_pod(id);
      }
    }
    dispatcher().capacity_freed();
    take_turns();
  }
};

TEST_F(WaitingPartsTest, TheFirstPartStartsAndTheNextOneStartsWhole) {
  add(node("a").allocatable("cpu", "2"));
  std::vector<PodId> set = stuck("set");
  EXPECT_EQ(placed(set), 1U) << "its workers cannot be there yet";
  add_workers("set", set);
  EXPECT_EQ(placed(set), 1U) << "there is room for one of two";
  add(node("b").allocatable("cpu", "1"));
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(placed(set), 3U);
}

TEST_F(WaitingPartsTest, OfTwoThatHoldWhatEachOtherNeedsTheYoungerGivesWay) {
  add(node("a").allocatable("cpu", "3"));
  std::vector<PodId> older = stuck("older");
  std::vector<PodId> younger = stuck("younger");
  add_workers("older", older);
  add_workers("younger", younger);
  EXPECT_EQ(placed(older) + placed(younger), 2U);
  EXPECT_THAT(dispatcher().overdue_starts(kStart).releases, IsEmpty()) << "patience";
  const std::vector<Eviction> releases = dispatcher().overdue_starts(kInTheEnd).releases;
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(younger[0]));
  EXPECT_EQ(decision::release_text(releases[0], cluster_),
            "1 of the 3 pods of pod group \"younger\" hold room, and the later ones find none, and pod group \"older\" "
            "starts in their room");
  leave(releases);
  EXPECT_EQ(placed(older), 3U);
}

TEST_F(WaitingPartsTest, TheLessImportantGivesWay) {
  add(node("a").allocatable("cpu", "3"));
  std::vector<PodId> older = stuck("older", 1);
  std::vector<PodId> younger = stuck("younger", 2);
  add_workers("older", older, 1);
  add_workers("younger", younger, 2);
  dispatcher().overdue_starts(kStart);
  const std::vector<Eviction> releases = dispatcher().overdue_starts(kInTheEnd).releases;
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(older[0]));
}

/// It may run on its own for as long as it likes: nobody of its kind needs the room.
TEST_F(WaitingPartsTest, OneAloneKeepsWhatItHas) {
  add(node("a").allocatable("cpu", "3"));
  std::vector<PodId> set = stuck("set");
  submit(pod("other").request("cpu", "1"));
  take_turns();
  add_workers("set", set);
  const PodId third = submit(pod("waits").request("cpu", "2").never_preempts());
  take_turns();
  EXPECT_FALSE(cluster_.pod(third).node.valid());
  dispatcher().overdue_starts(kStart);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty());
}

TEST_F(WaitingPartsTest, NobodyGivesRoomThatHelpsNobody) {
  add(node("a").allocatable("cpu", "2"));
  std::vector<PodId> older = stuck("older");
  std::vector<PodId> younger = stuck("younger");
  add_workers("older", older);
  add_workers("younger", younger);
  dispatcher().overdue_starts(kStart);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty()) << "two nodes hold no group of three";
}

TEST_F(WaitingPartsTest, ThePolicyMayKeepThemAndTells) {
  Switches switches;
  switches.broken = BrokenGroups::kKept;
  dispatcher().set_switches(switches);
  add(node("a").allocatable("cpu", "3"));
  std::vector<PodId> older = stuck("older");
  std::vector<PodId> younger = stuck("younger");
  add_workers("older", older);
  add_workers("younger", younger);
  EXPECT_THAT(dispatcher().overdue_starts(kStart).kept_in_vain, IsEmpty());
  const engine::Overdue overdue = dispatcher().overdue_starts(kInTheEnd);
  EXPECT_THAT(overdue.releases, IsEmpty());
  ASSERT_THAT(overdue.kept_in_vain, SizeIs(1));
  EXPECT_THAT(decision::release_text(overdue.kept_in_vain[0], cluster_), HasSubstr("\"younger\" hold room"));
}

/// Replicated jobs of a JobSet are groups of their own, one after the other.
TEST_F(WaitingPartsTest, GroupsThatStartAfterOthersGiveBackThoseOfTheirWorkload) {
  add(node("a").allocatable("cpu", "3"));
  std::vector<PodId> drivers;
  for (const char* set : {"one", "two"}) {
    describe_part(std::string(set) + "-driver", 1, "x", "y");
    drivers.push_back(member(std::string(set) + "-driver", "0"));
  }
  for (const char* set : {"one", "two"}) {
    const std::string workers = std::string(set) + "-worker";
    describe_part(workers, 2, std::string(cluster::spellings::kStartsAfter), std::string(set) + "-driver");
    for (const char* rank : {"0", "1"}) member(workers, rank);
  }
  dispatcher().overdue_starts(kStart);
  const std::vector<Eviction> releases = dispatcher().overdue_starts(kInTheEnd).releases;
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(drivers[1]));
  EXPECT_EQ(
      decision::release_text(releases[0], cluster_),
      "the pods before pod group \"two-worker\" hold room, and it finds none, and pod group \"one-worker\" starts "
      "in their room");
}

}  // namespace
}  // namespace loadline::gang
