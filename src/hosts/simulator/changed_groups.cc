#include "hosts/simulator/changed_groups.h"

#include <algorithm>
#include <optional>
#include <set>

#include "hosts/simulator/group_index.h"

namespace loadline::simulator {
namespace {

/// The pods that a change takes away, and those that the user does not want any more.
class TakenPods {
 public:
  TakenPods(const std::vector<PodName>& evictions, const std::vector<Departure>& departures)
      : evicted_(evictions.begin(), evictions.end()) {
    for (const Departure& departure : departures) (departure.intended ? unwanted_ : dead_).insert(departure.pod);
  }

  [[nodiscard]] bool is_unwanted(const PodName& pod) const { return unwanted_.contains(pod); }
  [[nodiscard]] MemberChange change_of(const PodName& pod) const {
    if (dead_.contains(pod)) return MemberChange::kDies;
    return evicted_.contains(pod) ? MemberChange::kIsEvicted : MemberChange::kStays;
  }

 private:
  std::set<PodName> evicted_;
  std::set<PodName> dead_;
  std::set<PodName> unwanted_;
};

}  // namespace

std::map<std::size_t, std::vector<ChangedMember>> changed_groups(const Plan& before,
                                                                 const std::vector<PodName>& evictions,
                                                                 const std::vector<Departure>& departures,
                                                                 const PodRuns& runs) {
  const GroupIndex index(before.groups);
  const TakenPods taken(evictions, departures);
  std::map<std::size_t, std::vector<ChangedMember>> groups;
  std::set<PodName> seen;  // the first of a name is on a node; what follows was created in its stead
  for (const PlannedPod& pod : before.pods) {
    const std::optional<std::size_t> group = index.of(pod);
    if (!group) continue;
    const auto run = runs.find({pod.name_space, pod.name});
    if (run == runs.end() || taken.is_unwanted(run->first) || !seen.insert(run->first).second) continue;
    groups[*group].push_back({run->first, pod.node, run->second, taken.change_of(run->first)});
  }
  std::erase_if(groups, [](const auto& group) {
    return std::ranges::all_of(group.second,
                               [](const ChangedMember& member) { return member.change == MemberChange::kStays; });
  });
  return groups;
}

}  // namespace loadline::simulator
