#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hosts/simulator/change.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/pod_runs.h"

namespace loadline::simulator {

/// What a change does to a member of a group.
enum class MemberChange : std::uint8_t {
  kStays,
  kIsEvicted,
  kDies,  ///< at once, with its node
};

/// A member of a group that is on a node when a change is made. What it becomes before the end of the plan without the
/// change, as ended, does not count.
struct ChangedMember {
  PodName name;
  std::string node;
  PodRun run;
  MemberChange change = MemberChange::kStays;
};

/// The groups of which a change evicts members or ends them with their nodes, each with all of its members on nodes, by
/// its index into the earlier plan's groups. Members that the user does not want any more are left out.
/// O(pods × log pods).
std::map<std::size_t, std::vector<ChangedMember>> changed_groups(const Plan& before,
                                                                 const std::vector<PodName>& evictions,
                                                                 const std::vector<Departure>& departures,
                                                                 const PodRuns& runs);

}  // namespace loadline::simulator
