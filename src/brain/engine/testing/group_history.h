#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/gang/group_standing.h"
#include "foundation/base/rng.h"

namespace loadline::engine::testing {

/// What its owner wants: so many pods, together or each for itself.
struct Work {
  std::string name;
  bool is_gang = false;
  cluster::GroupName group = {};  // of a gang
  int min_count = 0;
  std::vector<PodBuilder> wanted;  // one a member
  std::vector<PodId> pods;         // by member; invalid: it has succeeded
  int done = 0;                    // so many have
  Duration run;
  std::optional<Instant> ends;              // of a gang that is whole
  std::map<std::size_t, Instant> pod_ends;  // of pods of others, by member
  bool was_whole = false;
};

/// A host of the dispatcher, with a clock of its own.
class GroupHistory : public DispatcherFixture, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr Duration kGrace = Duration::seconds(30);
  static constexpr std::size_t kMostTurns = 4000;  // until a queue is worked off: more is a circle

  GroupHistory() : rng_(static_cast<std::uint64_t>(GetParam()) * 7919 + 17) {}

  [[nodiscard]] bool chance(std::uint64_t percent) { return rng_.below(100) < percent; }
  [[nodiscard]] int number(int least, int most) {
    return least + static_cast<int>(rng_.below(static_cast<std::uint64_t>(most - least + 1)));
  }

  // ---- what happens ------------------------------------------------------------------------------------------------

  void add_random_node() {
    const std::string name = "n" + std::to_string(nodes_made_++);
    add(node(name)
            .label("kubernetes.io/hostname", name)
            .label("rack", "r" + std::to_string(rng_.below(3)))
            .allocatable("cpu", std::to_string(2 * number(1, 4)))
            .allocatable("pods", "20"));
    dispatcher().capacity_freed();
  }

  void lose_node() {
    if (cluster_.node_count() < 2) return;
    const NodeId node = cluster_.nodes()[rng_.below(cluster_.node_count())];
    for (const PodId pod : cluster_.remove_node(node)) lose(pod);
    dispatcher().capacity_freed();
  }

  void arrive() {
    Work& work = works_.emplace_back();
    work.name = "w" + std::to_string(works_made_++);
    work.is_gang = chance(75);
    work.run = Duration::seconds(number(1, 20) * 60);
    const int members = work.is_gang ? number(1, 6) : 1;
    const int cpus = number(1, 4);
    const int priority = number(0, 2);
    for (int i = 0; i < members; ++i) {
      PodBuilder builder = pod("p").request("cpu", std::to_string(chance(70) ? cpus : number(1, 6)));
      builder.priority(priority).label("work", work.name);
      if (work.is_gang) builder.group(work.name);
      if (chance(10)) builder.away_from(cluster::testing::pods_with("work", work.name, "kubernetes.io/hostname"));
      if (chance(10)) builder.near(cluster::testing::pods_with("work", work.name, "rack"));
      if (knows_ends_) builder.pod().metadata.annotations["loadline.dev/expected-duration"] = span_of(work.run);
      work.wanted.push_back(builder);
    }
    work.min_count = chance(70) ? members : number(1, members);
    work.group.name = work.name;
    if (work.is_gang) describe(work);
    work.pods.resize(work.wanted.size());
    for (std::size_t i = 0; i < work.pods.size(); ++i) create(work, i);
  }

  /// What the object of its group says now.
  [[nodiscard]] virtual cluster::GroupDescription description_of(const Work& work, SymbolTable&) const {
    cluster::GroupDescription said;
    said.name_space = "default";
    said.group = work.group;
    said.min_count = work.min_count;
    return said;
  }

  void describe(const Work& work) {
    cluster_.set_group(description_of(work, cluster_.symbols()));
    if (const GroupId id = group_of(work); id.valid()) dispatcher().group_changed(id);
  }

  void grow() {
    Work* work = any_gang();
    if (work == nullptr) return;
    work->wanted.push_back(work->wanted.front());
    work->pods.emplace_back();
    create(*work, work->pods.size() - 1);
  }

  /// Its owner takes a member away, whether it runs or waits.
  void shrink() {
    Work* work = any_gang();
    if (work == nullptr || static_cast<int>(work->pods.size()) <= work->min_count) return;
    const PodId pod = work->pods.back();
    work->wanted.pop_back();
    work->pods.pop_back();
    if (pod.valid()) remove(pod);
  }

  void delete_any() {
    if (!works_.empty()) leave(rng_.below(works_.size()));
  }

  /// The API server refused a binding of the last turns.
  void refuse_binding() {
    std::erase_if(fresh_, [&](PodId pod) { return !owners_.contains(pod) || !cluster_.pod(pod).node.valid(); });
    if (fresh_.empty()) return;
    const PodId pod = fresh_[rng_.below(fresh_.size())];
    if (cluster_.pod(pod).terminating) return;
    lost(owner(pod), pod);
    dispatcher().release(pod);
    dispatcher().add(pod);
    lose_run(owner(pod));
  }

  /// The next thing that is due happens, or time passes.
  void pass_time() {
    std::optional<Instant> next = next_due();
    const Instant flush = now_ + Duration::seconds(300);
    if (!next || *next > flush) {
      now_ = flush;
      return flush_queue();
    }
    now_ = *next;
    for (const auto& [pod, at] : std::map(leaving_)) {
      if (at <= now_) gone(pod);
    }
    for (std::size_t i = works_.size(); i-- > 0 && !nothing_ends_;) end_what_is_due(i);
  }

  void flush_queue() {
    for (const decision::Eviction& release : dispatcher().overdue_starts(now_).releases) {
      check_release(release);
      for (const PodId pod : release.pods) evict(pod);
    }
    dispatcher().flush_unschedulable();
  }

  /// A pod of the work that was on a node will be there no longer: neither has it ended, nor did its owner ask for
  /// that.
  virtual void lost(Work&, PodId) {}
  virtual void check_release(const decision::Eviction&) {}

  // ---- what follows ------------------------------------------------------------------------------------------------

  void work_off_queue() {
    std::size_t turns = 0;
    dispatcher().set_now(now_);
    while (const std::optional<decision::Unit> unit = dispatcher().next()) {
      ASSERT_LT(++turns, kMostTurns) << "turns go in a circle";
      const std::int64_t placed_before = unit->is_group() ? placed_of(unit->group) : 0;
      const decision::Turn turn = dispatcher().take(*unit);
      if (unit->is_group()) check_turn(turn, placed_before);
      carry_out(turn);
      if (unit->is_group()) note_start(unit->group);
    }
  }

  void check_turn(const decision::Turn& turn, std::int64_t placed_before) {
    const cluster::PodGroup& group = cluster_.group(turn.unit.group);
    if (turn.verdict == gang::Verdict::kStarts) {
      EXPECT_GE(static_cast<std::int64_t>(group.placed), group.min_count) << group.name << " is started in part";
    } else {
      EXPECT_EQ(static_cast<std::int64_t>(group.placed), placed_before) << group.name << " holds room, and waits";
    }
  }

  void carry_out(const decision::Turn& turn) {
    std::vector<GroupId> whole_before;
    for (const decision::PodTurn& each : turn.pods) {
      if (each.node.valid()) note_placed(each.pod);
      for (const PodId victim : each.victims) {
        const cluster::PodRecord& record = cluster_.pod(victim);
        EXPECT_LT(record.priority, cluster_.pod(each.pod).priority) << "evicted by a pod of no higher priority";
        const GroupId group = record.group;
        if (group.valid() && !cluster_.group(group).is_partly_placed()) whole_before.push_back(group);
      }
    }
    for (const decision::PodTurn& each : turn.pods) {
      for (const PodId victim : each.victims) evict(victim);
    }
    if (switches_.victims != gang::GroupVictims::kWholeGroups) return;
    for (const GroupId group : whole_before) {
      EXPECT_FALSE(cluster_.group(group).is_partly_placed()) << "a rank of a running gang was evicted";
    }
  }

  void note_placed(PodId pod) {
    cluster_.set_started(pod, now_);
    fresh_.push_back(pod);
    Work& work = owner(pod);
    if (!work.is_gang) work.pod_ends[0] = now_ + work.run;
  }

  void note_start(GroupId id) {
    const cluster::PodGroup& group = cluster_.group(id);
    if (!gang::standing_of(cluster_, id).is_whole || group.placed == 0) return;
    gang::note_start(cluster_, id);
    Work& work = owner(group.members.front());
    work.was_whole = true;
    if (!work.ends) work.ends = now_ + work.run;
  }

  void evict(PodId pod) {
    if (cluster_.pod(pod).terminating) return;
    lost(owner(pod), pod);
    dispatcher().leaving(pod);
    leaving_[pod] = now_ + kGrace;
    lose_run(owner(pod));
  }

  /// One of its pods is lost. A gang that has enough of them goes on.
  void lose_run(Work& work) {
    work.pod_ends.clear();
    if (!work.is_gang) return;
    const cluster::PodGroup& group = cluster_.group(group_of(work));
    if (group.placed == 0 || group.is_partly_placed()) work.ends.reset();
  }

  /// A victim has left, and another pod waits in its stead.
  void gone(PodId pod) {
    lose(pod);
    dispatcher().capacity_freed();
  }

  void lose(PodId pod) {
    Work& work = owner(pod);
    if (leaving_.erase(pod) == 0) lost(work, pod);
    const std::size_t member = place_of(work, pod);
    remove(pod);
    create(work, member);
    lose_run(work);
  }

  void end_what_is_due(std::size_t index) {
    Work& work = works_[index];
    const bool is_over = (work.ends && *work.ends <= now_) || (!work.pod_ends.empty() && work.pod_ends[0] <= now_);
    if (is_over) leave(index);
  }

  void leave(std::size_t index) {
    const Work work = works_[index];
    for (const PodId pod : work.pods) {
      if (pod.valid()) remove(pod);
    }
    if (work.is_gang) cluster_.remove_group("default", work.group);
    works_.erase(works_.begin() + static_cast<std::ptrdiff_t>(index));
    dispatcher().capacity_freed();
  }

  void create(Work& work, std::size_t member) {
    PodBuilder builder = work.wanted[member];
    builder.pod().metadata.name = work.name + "-" + std::to_string(pods_made_++);
    const PodId pod = add(builder);
    owners_[pod] = work.name;
    work.pods[member] = pod;
    dispatcher().add(pod);
    if (work.is_gang) dispatcher().group_changed(cluster_.pod(pod).group);
  }

  void remove(PodId pod) {
    const cluster::PodRecord& record = cluster_.pod(pod);
    const GroupId group = record.group;
    const bool freed = record.node.valid() || record.nominated.valid();
    if (!record.node.valid()) dispatcher().withdraw(pod);
    cluster_.remove_pod(pod);
    owners_.erase(pod);
    leaving_.erase(pod);
    std::erase(fresh_, pod);
    if (group.valid() && !cluster_.group(group).members.empty()) dispatcher().group_changed(group);
    if (freed) dispatcher().capacity_freed();
  }

  // ---- in the end --------------------------------------------------------------------------------------------------

  /// Nothing comes any more, and no node is lost: what runs ends, and whoever fits an empty cluster has had its way.
  void let_all_end() {
    for (int i = 0; i < 600 && !works_.empty() && !HasFailure(); ++i) {
      pass_time();
      work_off_queue();
    }
    if (HasFailure()) return;
    for (const Work& work : works_) {
      EXPECT_FALSE(fits_an_empty_cluster(work))
          << work.name << " never started, and fits an empty cluster; " << placed_pods(work) << " of "
          << work.pods.size() << " are on nodes, " << work.min_count << " start together";
    }
  }

  [[nodiscard]] bool fits_an_empty_cluster(const Work& work) const {
    cluster::Cluster empty;
    for (const NodeId node : cluster_.nodes()) empty.add_node(cluster_.node_object(node));
    if (work.is_gang) describe_in(empty, work);
    Dispatcher alone(empty, *placement::Scheduler::make(empty, registry(), configuration_, extensions_));
    alone.set_switches(switches_);
    std::vector<PodId> pods;
    for (const std::size_t member : by_age(work)) {
      PodBuilder builder = work.wanted[member];
      builder.pod().metadata.name = "m" + std::to_string(member);
      pods.push_back(empty.add_pod(builder));
      alone.add(pods.back());
    }
    while (const std::optional<decision::Unit> unit = alone.next()) alone.take(*unit);
    return std::ranges::any_of(pods, [&](PodId pod) { return empty.pod(pod).node.valid(); });
  }

  /// The group's object, and what it has on record.
  void describe_in(cluster::Cluster& other, const Work& work) const {
    other.set_group(description_of(work, other.symbols()));
    tell_done(other, work);
  }
  virtual void tell_done(cluster::Cluster&, const Work&) const {}

  /// Members in the order in which a group without a search places them.
  [[nodiscard]] std::vector<std::size_t> by_age(const Work& work) const {
    std::vector<std::size_t> members(work.pods.size());
    std::iota(members.begin(), members.end(), std::size_t{0});
    std::erase_if(members, [&](std::size_t member) { return !work.pods[member].valid(); });
    std::ranges::sort(members, {}, [&](std::size_t member) { return cluster_.pod(work.pods[member]).uid; });
    return members;
  }

  // ---- looking -----------------------------------------------------------------------------------------------------

  [[nodiscard]] std::optional<Instant> next_due() const {
    std::optional<Instant> next;
    const auto sooner = [&](Instant at) { next = next ? std::min(*next, at) : at; };
    for (const auto& [pod, at] : leaving_) sooner(at);
    if (nothing_ends_) return next;
    for (const Work& work : works_) {
      if (work.ends) sooner(*work.ends);
      for (const auto& [member, at] : work.pod_ends) sooner(at);
    }
    return next;
  }
  [[nodiscard]] GroupId group_of(const Work& work) const { return cluster_.find_group("default", work.group); }
  Work& owner(PodId pod) {
    const auto found = std::ranges::find(works_, owners_.at(pod), &Work::name);
    EXPECT_NE(found, works_.end());
    return *found;
  }
  static std::size_t place_of(const Work& work, PodId pod) {
    return static_cast<std::size_t>(std::ranges::find(work.pods, pod) - work.pods.begin());
  }
  Work* any_gang() {
    std::vector<Work*> gangs;
    for (Work& work : works_) {
      if (work.is_gang) gangs.push_back(&work);
    }
    return gangs.empty() ? nullptr : gangs[rng_.below(gangs.size())];
  }
  [[nodiscard]] std::int64_t placed_of(GroupId id) const {
    return static_cast<std::int64_t>(cluster_.group(id).placed);
  }
  [[nodiscard]] std::size_t placed_pods(const Work& work) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(work.pods, [&](PodId pod) { return pod.valid() && cluster_.pod(pod).node.valid(); }));
  }
  static std::string span_of(Duration span) { return std::to_string(span.nanoseconds / 1'000'000'000) + "s"; }

  Rng rng_;
  gang::Switches switches_;
  bool knows_ends_ = true;
  bool nothing_ends_ = false;  // works go on beyond their time
  Instant now_ = Instant{} + Duration::seconds(1'000'000);
  std::vector<Work> works_;
  std::map<PodId, std::string> owners_;  // names of works
  std::map<PodId, Instant> leaving_;     // when they are gone
  std::vector<PodId> fresh_;             // placed by the dispatcher; their bindings may yet be refused
  int nodes_made_ = 0, works_made_ = 0, pods_made_ = 0;
};

}  // namespace loadline::engine::testing
