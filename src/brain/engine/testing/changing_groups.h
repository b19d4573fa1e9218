#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/coscheduling.h"
#include "brain/cluster/spellings/kai.h"
#include "brain/cluster/spellings/volcano.h"
#include "brain/engine/testing/group_history.h"
#include "objects/kube/workload_names.h"

namespace loadline::engine::testing {

using cluster::GroupName;
using cluster::GroupSpelling;

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

/// A host of groups whose workload changes: groups of every kind are scaled, have minimums raised and lowered, members
/// that finish and fail, nodes that are drained and tainted.
class ChangingGroups : public GroupHistory {
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

}  // namespace loadline::engine::testing
