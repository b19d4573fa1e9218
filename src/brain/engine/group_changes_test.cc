// Groups whose workload changes: random histories in which groups of every kind are scaled, have minimums raised and
// lowered, members that finish and fail, nodes that are drained, tainted and lost. What must hold:
//
// - A pod that runs leaves for its group's sake (a gang::Release) only if the group, or its subgroup, has lost a pod
//   since it was last whole; and for others only if these have a higher priority (GroupHistory).
// - At rest, a group, or subgroup, that has lost pods, has fewer than it had when it was whole, and finds no room for
//   others in their place, holds no room in which a unit that waits would start.
//
// LOADLINE_GROUP_CHANGES runs more histories, LOADLINE_GROUP_CHANGES_FIRST_SEED other ones.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/decision/eviction_text.h"
#include "brain/engine/testing/changing_groups.h"

namespace loadline::engine {

using decision::Unit;

namespace {

using testing::Gang;
using testing::GroupId;
using testing::NodeId;
using testing::PodBuilder;
using testing::PodId;
using testing::Work;

class GroupChanges : public testing::ChangingGroups {
 protected:
  void lost(Work& work, PodId pod) override {
    if (!work.is_gang) return;
    Gang& gang = gangs_.at(work.name);
    ++gang.lost[""];
    const std::string part = part_of(work, place_of(work, pod));
    if (!part.empty()) ++gang.lost[part];
  }

  /// Which groups, and subgroups, are whole by now.
  void note_whole() {
    for (Work& work : works_) {
      if (!work.is_gang) continue;
      Gang& gang = gangs_.at(work.name);
      for (const std::string& part : gang.parts) {
        if (counted(work, part) < gang.part_min) continue;
        gang.lost[part] = 0;
        gang.part_whole_with[part] = gang.part_min;
      }
      if (!is_whole(work) || running(work) == 0) continue;
      note_start(group_of(work));
      gang.lost[""] = 0;
      gang.whole_with = work.min_count;
    }
  }

  void check_release(const decision::Eviction& release) override {
    const Work& work = owner(release.pods.front());
    const Gang& gang = gangs_.at(work.name);
    std::set<std::string> parts;
    for (const PodId pod : release.pods) parts.insert(part_of(work, place_of(work, pod)));
    const bool is_one_part = parts.size() == 1 && !parts.begin()->empty();
    const int losses = lost_of(gang, "") + (is_one_part ? lost_of(gang, *parts.begin()) : 0);
    EXPECT_GT(losses, 0) << decision::release_text(release, cluster_) << ", but has lost nothing";
  }

  static int lost_of(const Gang& gang, const std::string& part) {
    const auto found = gang.lost.find(part);
    return found == gang.lost.end() ? 0 : found->second;
  }

  /// Nothing ends any more, and all that follows by itself has followed.
  void come_to_rest() {
    nothing_ends_ = true;
    int quiet = 0;
    for (int i = 0; i < 60 && quiet < 4 && !HasFailure(); ++i) {
      const std::uint64_t before = cluster_.changes().end();
      pass_time();
      work_off_queue();
      note_whole();
      quiet = cluster_.changes().end() == before && leaving_.empty() ? quiet + 1 : 0;
    }
  }

  void check_at_rest() {
    constexpr std::size_t kMostWorks = kMostBeneficiaries;
    if (works_.size() > kMostWorks || !leaving_.empty() || is_any_nominated()) return;
    for (const Work& work : works_) {
      if (!work.is_gang) continue;
      const Gang& gang = gangs_.at(work.name);
      if (is_broken(work)) {
        expect_of_no_use(work, [](const std::string&) { return true; });
      } else if (is_whole(work) && gang.enough) {
        for (const std::string& part : gang.parts) {
          const bool is_stale = lost_of(gang, part) > 0 && running(work, part) > 0 && !is_kept(work, part);
          if (is_stale) expect_of_no_use(work, [&](const std::string& each) { return each == part; });
        }
      }
    }
  }

  /// Room is kept for a pod of a higher priority.
  bool is_any_nominated() {
    return std::ranges::any_of(works_, [&](const Work& work) {
      return std::ranges::any_of(work.pods,
                                 [&](PodId pod) { return pod.valid() && cluster_.pod(pod).nominated.valid(); });
    });
  }

  /// It has lost pods, and has fewer than it had when it was last whole.
  bool is_broken(const Work& work) {
    const Gang& gang = gangs_.at(work.name);
    if (lost_of(gang, "") == 0 || running(work) == 0 || !work.was_whole) return false;
    if (running(work) + work.done < std::min(work.min_count, gang.whole_with)) return true;
    int met = 0;
    for (const std::string& part : gang.parts) {
      met += is_kept(work, part) ? 1 : 0;
    }
    return met < gang.enough.value_or(static_cast<int>(gang.parts.size()));
  }

  /// The subgroup has as many as it had when it was last whole.
  [[nodiscard]] bool is_kept(const Work& work, const std::string& part) const {
    const Gang& gang = gangs_.at(work.name);
    const auto then = gang.part_whole_with.find(part);
    return then == gang.part_whole_with.end() || counted(work, part) >= std::min(gang.part_min, then->second);
  }

  /// No unit that waits would start in the room of these of its pods.
  template <class Of>
  void expect_of_no_use(const Work& holder, Of of) {
    for (const Work& waiting : works_) {
      if (&waiting == &holder || !waits(waiting)) continue;
      EXPECT_FALSE(starts_without(holder, of, waiting))
          << text_of(holder) << " holds room in vain, and " << text_of(waiting) << " would start in it";
    }
  }

  template <class Of>
  bool starts_without(const Work& holder, Of of, const Work& waiting) {
    cluster::Cluster other;
    for (const NodeId node : cluster_.nodes()) other.add_node(cluster_.node_object(node));
    Dispatcher alone(other, *placement::Scheduler::make(other, registry(), configuration_, extensions_));
    alone.set_switches({.placement = gang::GroupPlacement::kInOrder});
    if (waiting.is_gang) describe_in(other, waiting);
    std::vector<PodId> pods;
    for (const Work& work : works_) {
      for (const std::size_t member : by_age(work)) {
        const cluster::PodRecord& record = cluster_.pod(work.pods[member]);
        if (!record.node.valid()) continue;
        if (&work == &holder && of(part_of(work, member))) continue;
        PodBuilder builder = named(work, member);
        other.add_pod(builder, other.find_node(cluster_.node_name(record.node)));
      }
    }
    for (const std::size_t member : by_age(waiting)) {
      if (cluster_.pod(waiting.pods[member]).node.valid()) continue;
      PodBuilder builder = named(waiting, member);
      builder.never_preempts();
      pods.push_back(other.add_pod(builder));
      alone.add(pods.back());
    }
    while (const std::optional<Unit> unit = alone.next()) alone.take(*unit);
    return std::ranges::any_of(pods, [&](PodId pod) { return other.pod(pod).node.valid(); });
  }

  static PodBuilder named(const Work& work, std::size_t member) {
    PodBuilder builder = work.wanted[member];
    builder.pod().metadata.name = work.name + "-m" + std::to_string(member);
    return builder;
  }

  [[nodiscard]] std::string text_of(const Work& work) const {
    const Gang& gang = gangs_.at(work.name);
    std::string text =
        fmt::format("{} ({} of {} run, {} done, {} start together, {} when it was whole, {} lost", work.name,
                    running(work), work.pods.size(), work.done, work.min_count, gang.whole_with, lost_of(gang, ""));
    for (const std::string& part : gang.parts) {
      text += fmt::format("; {}: {} of {}, {} lost", part, counted(work, part), gang.part_min, lost_of(gang, part));
    }
    if (const GroupId id = group_of(work); work.is_gang && id.valid()) {
      const gang::GroupStanding standing = gang::standing_of(cluster_, id);
      text += fmt::format("; started {}, whole {}, lost {}, stale {}", cluster_.group(id).has_started,
                          standing.is_whole, standing.has_lost, standing.stale.size());
    }
    return text + ")";
  }
};

TEST_P(GroupChanges, NothingThatRunsIsEndedWithoutALossAndNoLossHoldsRoomOfUseToOthers) {
  knows_ends_ = chance(70);
  dispatcher().set_switches(switches_);
  for (int i = number(2, 5); i > 0; --i) add_random_node();
  for (int i = 0; i < 70 && !HasFailure(); ++i) {
    switch (rng_.below(22)) {
      case 0:
        add_random_node();
        break;
      case 1:
        lose_node();
        break;
      case 2:
        scale_up();
        break;
      case 3:
        scale_down();
        break;
      case 4:
        change_minimum();
        break;
      case 5:
      case 6:
        finish_member();
        break;
      case 7:
        forget_done_pods();
        break;
      case 8:
        fail_member();
        break;
      case 9:
        trouble_node(chance(50) ? Trouble::kDrained : Trouble::kTainted);
        break;
      case 10:
        restore_nodes();
        break;
      case 11:
        refuse_binding();
        break;
      case 12:
        delete_any();
        break;
      case 13:
      case 14:
      case 15:
      case 16:
        pass_time();
        break;
      default:
        if (works_.size() < 16) arrive_changeable();
    }
    work_off_queue();
    note_whole();
  }
  come_to_rest();
  if (!HasFailure()) check_at_rest();
}

/// That the histories above could find what they look for.
class RoomHeldInVain : public GroupChanges {
 protected:
  void submit_work(const std::string& name, int members) {
    Work& work = works_.emplace_back();
    work.name = name;
    work.is_gang = members > 1;
    work.group.name = name;
    work.min_count = members;
    work.run = Duration::seconds(3600);
    gangs_[name] = {};
    PodBuilder builder = cluster::testing::pod("p").request("cpu", "4");
    if (work.is_gang) name_group(builder, work.group);
    work.wanted.assign(static_cast<std::size_t>(members), builder);
    if (work.is_gang) describe(work);
    work.pods.resize(work.wanted.size());
    for (std::size_t i = 0; i < work.pods.size(); ++i) create(work, i);
    work_off_queue();
    note_whole();
  }
  void use(gang::BrokenGroups broken) {
    switches_.broken = broken;
    dispatcher().set_switches(switches_);
    come_to_rest();
  }
};

TEST_P(RoomHeldInVain, IsSeen) {
  for (const char* name : {"a", "b"})
    add(cluster::testing::node(name).allocatable("cpu", "4").allocatable("pods", "9"));
  submit_work("gang", 2);
  submit_work("other", 1);
  for (const PodId pod : cluster_.remove_node(cluster_.find_node("b"))) lose(pod);
  dispatcher().capacity_freed();
  work_off_queue();
  use(gang::BrokenGroups::kKept);
  const auto all = [](const std::string&) { return true; };
  EXPECT_TRUE(is_broken(works_[0]));
  EXPECT_TRUE(starts_without(works_[0], all, works_[1]));
  use(gang::BrokenGroups::kReleasedForOthers);
  EXPECT_FALSE(is_broken(works_[0]));
  EXPECT_FALSE(waits(works_[1]));
}

INSTANTIATE_TEST_SUITE_P(Always, RoomHeldInVain, ::testing::Values(0));

const int kFirstChangesSeed = cluster::testing::number_of("LOADLINE_GROUP_CHANGES_FIRST_SEED", 0);

// Two subgroups of which the group needed neither held room in turns, each with one pod of two.
INSTANTIATE_TEST_SUITE_P(SeedsThatFoundFaults, GroupChanges, ::testing::Values(50007116));

INSTANTIATE_TEST_SUITE_P(
    Seeds, GroupChanges,
    ::testing::Range(kFirstChangesSeed, kFirstChangesSeed + cluster::testing::number_of("LOADLINE_GROUP_CHANGES", 60)));

}  // namespace
}  // namespace loadline::engine
