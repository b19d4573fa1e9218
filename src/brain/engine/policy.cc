#include "brain/engine/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "foundation/base/text.h"

namespace loadline::engine {
namespace {

using gang::Backfill;
using gang::BrokenGroups;
using gang::GangWorkloads;
using gang::GroupDomains;
using gang::GroupMinimum;
using gang::GroupPlacement;
using gang::GroupShares;
using gang::GroupVictims;
using gang::LaterParts;
using placement::NodesToScore;
using placement::PreemptionCandidates;
using placement::SilentExtenders;
using queue::kueue::Admission;
using queue::kueue::RepeatedPreemption;

template <auto Member>
struct MemberOf;
template <class Owner, class Value, Value Owner::* Member>
struct MemberOf<Member> {
  using Type = Value;
};

/// The words and the two defaults are given by the enumerators of the member, whose order that of the words is.
template <auto Room, auto Member, std::size_t Count>
constexpr Switch of_room(std::string_view name, std::string_view decides, const Word (&words)[Count],
                         typename MemberOf<Member>::Type parity, typename MemberOf<Member>::Type recommended,
                         std::string_view source) {
  using Value = typename MemberOf<Member>::Type;
  Switch row{name,  decides, words, {}, static_cast<std::int64_t>(parity), static_cast<std::int64_t>(recommended),
             source};
  row.get = [](const Policy& policy) { return static_cast<std::int64_t>(policy.*Room.*Member); };
  row.set = [](Policy& policy, std::int64_t word) { policy.*Room.*Member = static_cast<Value>(word); };
  return row;
}

/// Of a member that is a whole number. What parity has is what is recommended: upstream has no such number.
template <auto Room, auto Member>
constexpr Switch number_of_room(std::string_view name, std::string_view decides, NumberRange numbers,
                                std::int64_t recommended, std::string_view source) {
  using Value = typename MemberOf<Member>::Type;
  Switch row{name, decides, {}, numbers, recommended, recommended, source};
  row.get = [](const Policy& policy) { return static_cast<std::int64_t>(policy.*Room.*Member); };
  row.set = [](Policy& policy, std::int64_t value) { policy.*Room.*Member = static_cast<Value>(value); };
  return row;
}

constexpr Word kNodesToScore[] = {
    {"All", "every feasible node"},
    {"Adaptive", "from 100 nodes on a share: 50 % less a point for each 125 nodes, at least 5 % and 100 nodes"},
};
constexpr Word kPreemptionCandidates[] = {
    {"All", "every node; without remembered dry runs this costs a dry run a node"},
    {"AllRemembered", "every node where earlier dry runs are remembered, else AsConfigured"},
    {"AsConfigured", "until minCandidateNodesPercentage and minCandidateNodesAbsolute are reached"},
};
constexpr Word kSilentExtenders[] = {
    {"LeaveAlone", "after three calls in a row not called again, by loadline up for 30 s"},
    {"AskAgain", "called for every pod again"},
};

constexpr Word kGroupPlacement[] = {
    {"Search", "other orders and other nodes are tried, up to a budget that is counted in steps"},
    {"InOrder", "the group does not fit"},
};
constexpr Word kGroupDomains[] = {
    {"BestFit", "the domain with the least room that holds the group, so that large domains stay whole"},
    {"MostAllocated", "the domain that is fullest with the group in it, and has most of its pods"},
};
constexpr Word kGroupShares[] = {
    {"Fewest", "among the fewest domains and nodes, the largest filled first"},
    {"Balanced", "among the fewest domains and nodes, in shares as equal as their room allows"},
};
constexpr Word kGroupVictims[] = {
    {"WholeGroups", "the whole group, or members above its minimum"},
    {"ByDisruptionMode", "the whole group if its disruptionMode is PodGroup, else the pod"},
    {"PodByPod", "the pod"},
};
constexpr Word kBackfill[] = {
    {"Easy", "whoever does not move the planned start of the first group in line"},
    {"Conservative", "whoever does not move the planned start of any group in line"},
    {"SkipAhead", "whoever fits; groups have no planned start"},
};
constexpr Word kGroupMinimum[] = {
    {"FinishedToo", "pods that have succeeded count, so that a pod that failed after them can be replaced"},
    {"Unfinished", "pods that have ended do not count"},
};
constexpr Word kGangWorkloads[] = {
    {"AsWritten", "only those whose object or pods say so"},
    {"Whole", "their pods start together"},
};

constexpr Word kLaterParts[] = {
    {"RoomForTheWhole", "room for them is found with the first part, or nothing starts, and held until they come"},
    {"AsTheyCome", "they look for room once they are there"},
};

constexpr Word kBrokenGroups[] = {
    {"ReleasedForOthers",
     "after five minutes evicted whole, if it can begin anew elsewhere, or another pod or group starts in its room"},
    {"Kept", "the pods that are left keep their nodes"},
};

constexpr Word kAdmission[] = {
    {"Feasible", "there are nodes for all its pods, too, which are held until the pods are there"},
    {"Quota", "nothing else: its pods look for nodes once they are there"},
};

constexpr Word kRepeatedPreemption[] = {
    {"Refused",
     "a workload preempts none that it gave way for, and none again while nothing else has changed; what became free "
     "goes first to the workload that it became free for"},
    {"AsUpstream", "they are preempted as if it were for the first time"},
};

// A new switch is a row here and the member that it names. Then the test PolicyDefinition says what to write into
// objects/schema/data/crds/loadline.json, and PolicyPage what into docs/policy.md.
constexpr std::array kSwitches = {
    of_room<&Policy::placement, &placement::Switches::nodes_to_score>(
        "nodesToScore", "How many feasible nodes are scored where no percentageOfNodesToScore is set", kNodesToScore,
        NodesToScore::kAdaptive, NodesToScore::kAll,
        "kube-scheduler v1.36, numFeasibleNodesToFind, pkg/scheduler/schedule_one.go"),
    of_room<&Policy::placement, &placement::Switches::preemption_candidates>(
        "preemptionCandidates", "On how many nodes preemption is tried before the best candidate is taken",
        kPreemptionCandidates, PreemptionCandidates::kAsConfigured, PreemptionCandidates::kAllRemembered,
        "kube-scheduler v1.36, calculateNumCandidates, "
        "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go"),
    of_room<&Policy::placement, &placement::Switches::silent_extenders>(
        "silentExtenders", "What becomes of an extender that does not answer", kSilentExtenders,
        SilentExtenders::kAskAgain, SilentExtenders::kLeaveAlone,
        "kube-scheduler v1.36, send, pkg/scheduler/extender.go"),
    of_room<&Policy::gang, &gang::Switches::placement>(
        "groupPlacement", "What becomes of a pod group whose members do not fit one after another in their order",
        kGroupPlacement, GroupPlacement::kInOrder, GroupPlacement::kSearch,
        "kube-scheduler v1.36, podGroupSchedulingDefaultAlgorithm, pkg/scheduler/schedule_one_podgroup.go"),
    of_room<&Policy::gang, &gang::Switches::domains>(
        "groupDomains", "Which domain is taken for a pod group whose schedulingConstraints name a label", kGroupDomains,
        GroupDomains::kMostAllocated, GroupDomains::kBestFit,
        "kube-scheduler v1.36 with TopologyAwareWorkloadScheduling, podGroupSchedulingPlacementAlgorithm, "
        "pkg/scheduler/schedule_one_podgroup.go"),
    of_room<&Policy::gang, &gang::Switches::shares>(
        "groupShares", "How the pods of a group with a preferred topology level are divided inside its domain",
        kGroupShares, GroupShares::kFewest, GroupShares::kFewest,
        "kube-scheduler v1.36 has no preferred levels; Kueue v0.19, gate TASBalancedPlacement, off"),
    of_room<&Policy::gang, &gang::Switches::victims>(
        "groupVictims", "Who leaves when a pod of a running pod group is preempted", kGroupVictims,
        GroupVictims::kPodByPod, GroupVictims::kWholeGroups,
        "kube-scheduler v1.36, pkg/scheduler/framework/preemption, WorkloadAwarePreemption off"),
    of_room<&Policy::gang, &gang::Switches::backfill>(
        "backfill", "Who may start while a pod group waits for room", kBackfill, Backfill::kSkipAhead, Backfill::kEasy,
        "kube-scheduler v1.36 has no planned starts; the names are of the literature (Lifka 1995)"),
    number_of_room<&Policy::gang, &gang::Switches::backfill_depth>(
        "backfillDepth", "How many pods and groups in line have a planned start at most",
        {1, 1000, "so many have one with Conservative, and up to so many before the first group with Easy"}, 32,
        "kube-scheduler v1.36 has no planned starts; 32 is the default of Fluxion's queue policies"),
    of_room<&Policy::gang, &gang::Switches::broken>(
        "brokenGroups", "What becomes of a started pod group that is below its minimum and cannot be replaced",
        kBrokenGroups, BrokenGroups::kKept, BrokenGroups::kReleasedForOthers,
        "kube-scheduler v1.36 leaves running pods alone; KAI-Scheduler evicts after its stalenessGracePeriod"),
    of_room<&Policy::gang, &gang::Switches::minimum>(
        "groupMinimum", "Which pods count towards the number that a pod group has to have", kGroupMinimum,
        GroupMinimum::kUnfinished, GroupMinimum::kFinishedToo,
        "kube-scheduler v1.36, podgroupstate.go, pkg/scheduler/backend/cache; kubernetes/kubernetes#142330"),
    of_room<&Policy::gang, &gang::Switches::workloads>(
        "gangWorkloads", "Whether JobSets, LeaderWorkerSets, training jobs and Ray clusters start whole",
        kGangWorkloads, GangWorkloads::kAsWritten, GangWorkloads::kAsWritten,
        "kube-scheduler v1.36 knows pod groups only, not workloads"),
    of_room<&Policy::gang, &gang::Switches::later_parts>(
        "laterParts", "Where pods of a workload that starts whole find room that are created once others of it run",
        kLaterParts, LaterParts::kAsTheyCome, LaterParts::kRoomForTheWhole,
        "kube-scheduler v1.36 holds no room for pods that do not exist"),
    number_of_room<&Policy::gang, &gang::Switches::exempt_hours>(
        "exemptHours", "For how many hours the annotation loadline.dev/minimum-run-time of a pod counts at most",
        {0, 8760, "so long its author may keep it from being preempted for a pod group; with 0 not at all"}, 24,
        "kube-scheduler v1.36 exempts no pod; Slurm's PreemptExemptTime is its administrator's to set"),
    of_room<&Policy::queues, &queue::kueue::Switches::admission>(
        "admission", "What a workload of Kueue's queues needs beside its quota to be admitted", kAdmission,
        Admission::kQuota, Admission::kFeasible,
        "Kueue v0.19, pkg/scheduler/scheduler.go; without topologies it looks at no node"),
    of_room<&Policy::queues, &queue::kueue::Switches::repeated_preemption>(
        "repeatedPreemption", "What becomes of preemptions in Kueue's queues that repeat or reverse earlier ones",
        kRepeatedPreemption, RepeatedPreemption::kAsUpstream, RepeatedPreemption::kRefused,
        "Kueue v0.19, pkg/scheduler/preemption, which remembers none; gate PrioritizePreemptorWorkloads, off"),
};

constexpr bool are_recommended_by_default() {
  return std::ranges::all_of(kSwitches, [](const Switch& row) { return row.get(Policy{}) == row.recommended; });
}
static_assert(are_recommended_by_default(), "a member's initialiser is what its row recommends");

}  // namespace

document::Value Switch::written(std::int64_t value) const {
  return is_number() ? document::Value(value) : document::Value(words[static_cast<std::size_t>(value)].name);
}

std::string Switch::text(std::int64_t value) const {
  return is_number() ? std::to_string(value) : std::string(words[static_cast<std::size_t>(value)].name);
}

std::optional<std::int64_t> Switch::read(const document::Value& written) const {
  if (is_number()) {
    if (!written.is_integer() || written.integer() < numbers.least || written.integer() > numbers.most) return {};
    return written.integer();
  }
  if (!written.is_string()) return {};
  const auto found = std::ranges::find(words, std::string_view(written.string()), &Word::name);
  if (found == words.end()) return {};
  return found - words.begin();
}

std::string Switch::expected() const {
  if (is_number()) return fmt::format("a whole number from {} to {}", numbers.least, numbers.most);
  std::vector<std::string_view> names;
  for (const Word& word : words) names.push_back(word.name);
  return fmt::format("one of {}", joined(names, ", "));
}

std::span<const Switch> switches() { return kSwitches; }

Policy policy_of(kube::PolicyBase base) {
  Policy policy;
  for (const Switch& row : kSwitches) row.set(policy, row.by_default(base));
  return policy;
}

}  // namespace loadline::engine
