// Groups whose workload changes: random histories in which groups of every kind are scaled, have minimums raised and
// lowered, members that finish and fail, nodes that are drained, tainted and lost. What must hold:
//
// - A pod that runs leaves for its group's sake (a gang::Release) only if the group, or its subgroup, has lost a pod since it
//   was last whole; and for others only if these have a higher priority (GroupHistory).
// - At rest, a group, or subgroup, that has lost pods, has fewer than it had when it was whole, and finds no room for
//   others in their place, holds no room in which a unit that waits would start.
//
// LOADLINE_GROUP_CHANGES runs more histories, LOADLINE_GROUP_CHANGES_FIRST_SEED other ones.
#include <fmt/format.h>

#include <set>

#include "brain/cluster/spellings/coscheduling.h"
#include "brain/cluster/spellings/kai.h"
#include "brain/cluster/spellings/volcano.h"
#include "brain/decision/eviction_text.h"
#include "brain/engine/broken_groups.h"
#include "brain/engine/testing/group_history.h"
#include "objects/kube/workload_names.h"

namespace loadline::engine {

using decision::Unit;

namespace {

using cluster::GroupName;
using cluster::GroupSpelling;
using testing::GroupId;
using testing::NodeId;
using testing::PodBuilder;
using testing::PodId;
using testing::Work;

/// What is known of a gang beside its pods, told apart from what the model makes of it.
struct Gang {
  std::vector<std::string> parts;              // names of subgroups; none: it has none
  std::optional<int> enough;                   // so many of them suffice
  int part_min = 0;                            // of each
  std::map<std::string, int> done;             // members that have succeeded, by subgroup ("": of none)
  bool is_recorded = false;                    // their workload says so; else their pods do
  int whole_with = 0;                          // its minimum when it was last whole, or a lower one since
  std::map<std::string, int> part_whole_with;  // the same of each subgroup
  std::map<std::string, int> lost;             // since the subgroup, or the group (""), was last whole
};

class GroupChanges : public testing::GroupHistory {
 protected:
  // ---- what happens ------------------------------------------------------------------------------------------------

  void arrive_changeable() {
    Work& work = works_.emplace_back();
    work.name = "w" + std::to_string(works_made_++);
    work.is_gang = chance(80);
    work.run = Duration::seconds(number(5, 60) * 60);
    Gang& gang = gangs_[work.name];
    work.group = {random_spelling(), work.name};
    const int members = work.is_gang ? number(1, 6) : 1;
    work.min_count = chance(60) ? members : number(1, members);
    if (work.is_gang && members >= 4 && chance(40)) divide(work, gang, members);
    const int cpus = number(1, 4);
    const int priority = number(0, 2);
    for (int i = 0; i < members; ++i) add_member(work, cpus, priority);
    if (work.is_gang) describe(work);
    work.pods.resize(work.wanted.size());
    for (std::size_t i = 0; i < work.pods.size(); ++i) create(work, i);
  }

  GroupSpelling random_spelling() {
    constexpr GroupSpelling kSpellings[] = {GroupSpelling::kKubernetes, GroupSpelling::kCoscheduling,
                                            GroupSpelling::kVolcano, GroupSpelling::kKai, GroupSpelling::kGrove};
    return kSpellings[rng_.below(std::size(kSpellings))];
  }

  /// Two or three subgroups, all of which it needs, or some.
  void divide(Work& work, Gang& gang, int members) {
    const int parts = members == 6 && chance(50) ? 3 : 2;
    for (int i = 0; i < parts; ++i) gang.parts.push_back("s" + std::to_string(i));
    gang.part_min = chance(70) ? members / parts : number(1, members / parts);
    if (chance(60)) gang.enough = number(1, parts);
    work.min_count = gang.part_min * gang.enough.value_or(parts);
  }

  void add_member(Work& work, int cpus, int priority) {
    PodBuilder builder = cluster::testing::pod("p").request("cpu", std::to_string(chance(80) ? cpus : number(1, 6)));
    builder.priority(priority).label("work", work.name);
    const Gang& gang = gangs_.at(work.name);
    if (!gang.parts.empty()) builder.label("part", gang.parts[work.wanted.size() % gang.parts.size()]);
    if (work.is_gang) name_group(builder, work.group);
    if (chance(10)) builder.away_from(cluster::testing::pods_with("work", work.name, "kubernetes.io/hostname"));
    if (knows_ends_) builder.pod().metadata.annotations["loadline.dev/expected-duration"] = span_of(work.run);
    work.wanted.push_back(builder);
  }

  static void name_group(PodBuilder& builder, const GroupName& group) {
    switch (group.spelling) {
      case GroupSpelling::kCoscheduling:
        builder.label(std::string(cluster::spellings::kCoschedulingLabel), group.name);
        return;
      case GroupSpelling::kVolcano:
        builder.pod().metadata.annotations[std::string(cluster::spellings::kVolcanoAnnotations[0])] = group.name;
        return;
      case GroupSpelling::kKai:
        builder.label("kai.scheduler/queue", "q");
        builder.pod().metadata.annotations[std::string(cluster::spellings::kKaiAnnotation)] = group.name;
        return;
      case GroupSpelling::kGrove:
        builder.label(std::string(kube::kGrovePodGang), group.name);
        return;
      default:
        builder.group(group.name);
    }
  }

  cluster::GroupDescription description_of(const Work& work, SymbolTable& symbols) const override {
    cluster::GroupDescription said = GroupHistory::description_of(work, symbols);
    const auto found = gangs_.find(work.name);
    if (found == gangs_.end()) return said;
    said.rules.min_subgroups = found->second.enough;
    for (const std::string& name : found->second.parts) {
      cluster::SubGroup& part = said.rules.subgroups.emplace_back();
      part.name = name;
      part.min_count = found->second.part_min;
      part.selector = cluster::PodSelector::of_labels({{"part", name}}, symbols);
    }
    return said;
  }

  /// Its owner wants more pods, and as many more together.
  void scale_up() {
    Work* work = any_gang();
    if (work == nullptr || !gangs_.at(work->name).parts.empty()) return;
    const int more = number(1, 3);
    work->min_count += more;
    if (chance(50)) describe(*work);
    for (int i = 0; i < more; ++i) {
      work->wanted.push_back(work->wanted.front());
      work->pods.emplace_back();
      create(*work, work->pods.size() - 1);
    }
    describe(*work);
  }

  /// Its owner wants fewer, whether they run or wait.
  void scale_down() {
    Work* work = any_gang();
    if (work == nullptr || !gangs_.at(work->name).parts.empty()) return;
    const int members = static_cast<int>(work->pods.size());
    const int fewer = number(0, members - 1);
    const auto ask_for_fewer = [&] {
      const int least = std::max(members - fewer, 1);
      if (work->min_count <= least) return;
      set_minimum(*work, least);
    };
    const bool asks_first = chance(50);
    if (asks_first) ask_for_fewer();
    bool ends_any = false;
    for (int i = 0; i < fewer && work->pods.back().valid(); ++i) {
      const PodId pod = work->pods.back();
      ends_any = ends_any || runs(pod);
      work->wanted.pop_back();
      work->pods.pop_back();
      remove(pod);
    }
    if (!asks_first) ask_for_fewer();
    // Others of it wait, and its owner took those that run.
    if (ends_any && !is_whole(*work)) ++gangs_.at(work->name).lost[""];
  }

  /// Somebody writes another minimum into the object of the group.
  void change_minimum() {
    Work* work = any_gang();
    if (work == nullptr) return;
    Gang& gang = gangs_.at(work->name);
    const int members = static_cast<int>(work->pods.size());
    if (gang.parts.empty()) return set_minimum(*work, number(1, members + 1));
    gang.part_min = number(1, std::max(members / static_cast<int>(gang.parts.size()), 1));
    for (auto& [part, whole_with] : gang.part_whole_with) whole_with = std::min(whole_with, gang.part_min);
    set_minimum(*work, gang.part_min * gang.enough.value_or(static_cast<int>(gang.parts.size())));
  }

  void set_minimum(Work& work, int pods) {
    work.min_count = pods;
    Gang& gang = gangs_.at(work.name);
    gang.whole_with = std::min(gang.whole_with, pods);
    describe(work);
  }

  /// A member of a gang that runs has done its work.
  void finish_member() {
    const auto chosen = any_running_member();
    if (!chosen) return;
    Work& work = *chosen->first;
    const PodId pod = work.pods[chosen->second];
    Gang& gang = gangs_.at(work.name);
    const std::string part = part_of(work, chosen->second);
    work.pods[chosen->second] = PodId{};
    ++work.done;
    ++gang.done[part];
    if (work.done == 1) gang.is_recorded = chance(50);
    tell_done(cluster_, work);
    remove(pod);
    dispatcher().capacity_freed();
    if (work.done == static_cast<int>(work.pods.size())) {
      leave(static_cast<std::size_t>(&work - works_.data()));
    } else if (const GroupId id = group_of(work); id.valid()) {
      dispatcher().group_changed(id);
    }
  }

  /// On record, or as pods that are there still: in a rebuilt cluster the same.
  void tell_done(cluster::Cluster& other, const Work& work) const override {
    const auto found = gangs_.find(work.name);
    if (found == gangs_.end()) return;
    for (const auto& [part, count] : found->second.done) {
      const kube::StringMap labels =
          part.empty() ? kube::StringMap{{"work", work.name}} : kube::StringMap{{"work", work.name}, {"part", part}};
      if (found->second.is_recorded) {
        other.record_succeeded("default", work.group, {"Job/" + work.name, part, labels, count});
        continue;
      }
      for (int i = 0; i < count; ++i) {
        const std::string name = work.name + "-done-" + part + "-" + std::to_string(i);
        other.add_succeeded("default", work.group, {"Job/" + work.name, name, labels});
      }
    }
  }

  /// Its pods that are done are deleted: from now on they are on record only.
  void forget_done_pods() {
    Work* work = any_gang();
    if (work == nullptr || work->done == 0 || gangs_.at(work->name).is_recorded) return;
    gangs_.at(work->name).is_recorded = true;
    tell_done(cluster_, *work);
    forget_pods_of(*work);
    if (const GroupId id = group_of(*work); id.valid()) dispatcher().group_changed(id);
  }
  void forget_pods_of(const Work& work) {
    for (const auto& [part, count] : gangs_.at(work.name).done) {
      for (int i = 0; i < count; ++i) {
        cluster_.remove_succeeded("default", work.group, work.name + "-done-" + part + "-" + std::to_string(i));
      }
    }
  }

  /// A member fails, and another one comes in its place.
  void fail_member() {
    if (const auto chosen = any_running_member()) {
      lose(chosen->first->pods[chosen->second]);
      dispatcher().capacity_freed();
    }
  }

  enum class Trouble : std::uint8_t { kDrained, kTainted };

  /// All pods of a node are evicted, and it takes no others for a while.
  void trouble_node(Trouble trouble) {
    const NodeId node = cluster_.nodes()[rng_.below(cluster_.node_count())];
    kube::Node object = cluster_.node_object(node);
    if (trouble == Trouble::kDrained) {
      object.unschedulable = true;
    } else {
      object.taints.push_back({"broken", "", kube::TaintEffect::kNoExecute, {}});
    }
    cluster_.update_node(node, object);
    dispatcher().capacity_freed();
    const std::vector<PodId> pods = cluster_.pods_on(node);
    for (const PodId pod : pods) evict(pod);
  }

  void restore_nodes() {
    for (const NodeId node : cluster_.nodes()) {
      kube::Node object = cluster_.node_object(node);
      object.unschedulable = false;
      object.taints.clear();
      cluster_.update_node(node, object);
    }
    dispatcher().capacity_freed();
  }

  // ---- what must hold ----------------------------------------------------------------------------------------------

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
      const std::uint64_t before = dispatcher().generation();
      pass_time();
      work_off_queue();
      note_whole();
      quiet = dispatcher().generation() == before && leaving_.empty() ? quiet + 1 : 0;
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

  // ---- looking -----------------------------------------------------------------------------------------------------

  [[nodiscard]] static std::string part_of(const Work& work, std::size_t member) {
    PodBuilder builder = work.wanted[member];
    const kube::StringMap& labels = builder.pod().metadata.labels;
    const auto part = labels.find("part");
    return part == labels.end() ? std::string() : part->second;
  }
  [[nodiscard]] bool runs(PodId pod) const {
    return pod.valid() && cluster_.pod(pod).node.valid() && !cluster_.pod(pod).terminating;
  }
  [[nodiscard]] int running(const Work& work) const {
    return static_cast<int>(std::ranges::count_if(work.pods, [&](PodId pod) { return runs(pod); }));
  }
  [[nodiscard]] int running(const Work& work, const std::string& part) const {
    int count = 0;
    for (std::size_t i = 0; i < work.pods.size(); ++i) count += runs(work.pods[i]) && part_of(work, i) == part ? 1 : 0;
    return count;
  }
  [[nodiscard]] int counted(const Work& work, const std::string& part) const {
    const auto& done = gangs_.at(work.name).done;
    return running(work, part) + (done.contains(part) ? done.at(part) : 0);
  }
  [[nodiscard]] bool is_whole(const Work& work) const {
    const Gang& gang = gangs_.at(work.name);
    const auto met =
        std::ranges::count_if(gang.parts, [&](const auto& part) { return counted(work, part) >= gang.part_min; });
    return running(work) + work.done >= work.min_count &&
           met >= gang.enough.value_or(static_cast<int>(gang.parts.size()));
  }
  [[nodiscard]] bool waits(const Work& work) const {
    return std::ranges::any_of(work.pods, [&](PodId pod) { return pod.valid() && !cluster_.pod(pod).node.valid(); });
  }
  std::optional<std::pair<Work*, std::size_t>> any_running_member() {
    std::vector<std::pair<Work*, std::size_t>> all;
    for (Work& work : works_) {
      if (!work.is_gang || !is_whole(work)) continue;
      for (std::size_t i = 0; i < work.pods.size(); ++i) {
        if (runs(work.pods[i])) all.emplace_back(&work, i);
      }
    }
    if (all.empty()) return std::nullopt;
    return all[rng_.below(all.size())];
  }

  std::map<std::string, Gang> gangs_;  // by the work's name
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
