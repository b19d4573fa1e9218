#include "brain/queue/kueue/round_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "brain/queue/kueue/round_objects.h"

namespace loadline::queue::kueue {
namespace {

using ReasonCode = FlavorReason::Code;

std::string amount_text(std::string_view resource, Amount amount) {
  return amount.is_unlimited() ? "<unlimited>" : quantity_of(resource, amount.value()).to_string();
}

std::string_view effect_name(kube::TaintEffect effect) {
  switch (effect) {
    case kube::TaintEffect::kNone:
      return "";
    case kube::TaintEffect::kNoSchedule:
      return "NoSchedule";
    case kube::TaintEffect::kPreferNoSchedule:
      return "PreferNoSchedule";
    case kube::TaintEffect::kNoExecute:
      return "NoExecute";
  }
  return "";
}

/// As Go prints the struct.
std::string taint_text(const kube::Taint& taint) {
  return fmt::format("{{{} {} {} {}}}", taint.key, taint.value, effect_name(taint.effect),
                     taint.time_added ? format_rfc3339(*taint.time_added) : "<nil>");
}

std::vector<std::string> sorted_texts(const KueueScheduler& scheduler, const std::vector<FlavorReason>& reasons) {
  std::vector<std::string> texts;
  for (const FlavorReason& reason : reasons) texts.push_back(text(scheduler, reason));
  std::ranges::sort(texts);
  return texts;
}

std::string_view symbol_text(const KueueScheduler& scheduler, Symbol symbol) {
  return scheduler.quotas().tree().symbols().text(symbol);
}

std::string_view flavor_text(const KueueScheduler& scheduler, FlavorId flavor) {
  return symbol_text(scheduler, scheduler.flavors().name(flavor));
}

/// "/cohort/queue", from the root down
std::string path_text(const KueueScheduler& scheduler, QueueId queue) {
  const cluster::QuotaTree& tree = scheduler.quotas().tree();
  std::string path;
  for (QuotaNodeId node = queue; node.valid(); node = tree.parent(node))
    path = fmt::format("/{}{}", tree.name(node), path);
  return path;
}

std::string_view or_unknown(std::string_view text) { return text.empty() ? "UNKNOWN" : text; }

std::string priorities_text(const Workload& preemptor, const Workload& victim) {
  return fmt::format(
      "; preemptor effective priority: {0} (base: {0}, boost: 0); preemptee effective priority: {1} (base: {1}, boost: "
      "0)",
      preemptor.priority, victim.priority);
}

/// A flavor may have been looked at for several groups of resources: what is worst of it is told.
struct Considered {
  AssignmentMode mode = AssignmentMode::kFit;
  int borrowing = 0;
  std::optional<PreemptionOutlook> outlook;
  std::vector<FlavorReason> reasons;
};

std::string considered_text(const KueueScheduler& scheduler, std::string_view flavor, const Considered& it) {
  constexpr const char* kModes[] = {"NoFit", "Preempt", "Fit"};
  constexpr const char* kOutlooks[] = {"NoCandidates", "Preempt", "Reclaim"};
  std::string text = fmt::format("{}(", flavor);
  text += it.outlook ? fmt::format("preemptionMode={}", kOutlooks[static_cast<std::size_t>(*it.outlook)])
                     : kModes[static_cast<std::size_t>(it.mode)];
  if (it.borrowing > 0) text += fmt::format(";borrow={}", it.borrowing);
  std::vector<std::string> reasons = sorted_texts(scheduler, it.reasons);
  reasons.erase(std::ranges::unique(reasons).begin(), reasons.end());
  for (const std::string& reason : reasons) text += ";" + reason;
  return text + ")";
}

std::string considered_text(const KueueScheduler& scheduler, const PodSetAssignment& set) {
  std::map<std::string_view, Considered> flavors;
  for (const FlavorAttempt& attempt : set.attempts) {
    Considered& it = flavors[flavor_text(scheduler, attempt.flavor)];
    it.mode = std::min(it.mode, attempt.mode);
    it.borrowing = std::max(it.borrowing, attempt.borrowing);
    if (attempt.outlook) it.outlook = std::min(it.outlook.value_or(*attempt.outlook), *attempt.outlook);
    it.reasons.insert(it.reasons.end(), attempt.reasons.begin(), attempt.reasons.end());
  }
  std::vector<std::string> texts;
  for (const auto& [flavor, it] : flavors) {
    if (it.mode == AssignmentMode::kFit && it.borrowing == 0) continue;
    texts.push_back(considered_text(scheduler, flavor, it));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string spared_text(const KueueScheduler& scheduler, const Decision::Spared& spared) {
  const std::string& name = scheduler.workloads().at(spared.workload).name;
  if (spared.had_it_preempted) {
    return fmt::format(
        "Not preempting workload {} in turn: this one was preempted for it, or for one that was, and no quota has come "
        "free for this one since but by preemption",
        name);
  }
  return fmt::format(
      "Not preempting workload {} again: it was preempted for this one before, and nothing has changed "
      "since but by preemption",
      name);
}

}  // namespace

std::string text(const KueueScheduler& scheduler, const FlavorReason& reason) {
  const std::string_view resource = reason.resource.valid() ? symbol_text(scheduler, reason.resource) : "";
  const std::string_view flavor = reason.flavor.valid() ? flavor_text(scheduler, reason.flavor) : "";
  switch (reason.code) {
    case ReasonCode::kUndeclared:
      return fmt::format("resource {} unavailable in ClusterQueue", resource);
    case ReasonCode::kNoFlavor:
      return fmt::format("flavor {} not found", flavor);
    case ReasonCode::kUntoleratedTaint: {
      const std::vector<kube::Taint>& taints = scheduler.flavors().object(reason.flavor).node_taints;
      return fmt::format("untolerated taint {} in flavor {}", taint_text(taints.at(reason.taint)), flavor);
    }
    case ReasonCode::kNodeAffinity:
      return fmt::format("flavor {} doesn't match node affinity", flavor);
    case ReasonCode::kExceedsMaximum:
      return fmt::format(
          "insufficient quota for {} in flavor {}, previously considered podsets requests ({}) + current podset "
          "request ({}) > maximum capacity ({})",
          resource, flavor, amount_text(resource, reason.assumed), amount_text(resource, reason.requested),
          amount_text(resource, reason.amount));
    case ReasonCode::kLacksUnused:
      return fmt::format("insufficient unused quota for {} in flavor {}, {} more needed", resource, flavor,
                         amount_text(resource, reason.amount));
  }
  return {};
}

std::string text(const KueueScheduler& scheduler, WorkloadId workload, const Assignment& assignment) {
  std::vector<std::string> texts;
  for (const PodSetAssignment& set : assignment.pod_sets) {
    if (set.reasons.empty()) continue;
    texts.push_back(fmt::format("couldn't assign flavors to pod set {}: {}",
                                scheduler.workloads().at(workload).pod_sets.at(set.pod_set).name,
                                fmt::join(sorted_texts(scheduler, set.reasons), ", ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string text(const KueueScheduler& scheduler, const Decision& decision) {
  const Workload& workload = scheduler.workloads().at(decision.workload);
  switch (decision.code) {
    case Decision::Code::kAdmitted:
      return {};
    case Decision::Code::kPreempting:
      return fmt::format("{}. Pending the preemption of {} workload(s)",
                         text(scheduler, decision.workload, decision.assignment), decision.victims.size());
    case Decision::Code::kNoFit:
    case Decision::Code::kNoVictims:
      return text(scheduler, decision.workload, decision.assignment);
    case Decision::Code::kRepetition:
      return fmt::format("{}. {}", text(scheduler, decision.workload, decision.assignment),
                         spared_text(scheduler, *decision.spared));
    case Decision::Code::kOverlapping:
      return "Workload has overlapping preemption targets with another workload";
    case Decision::Code::kTaken:
      return "Workload no longer fits after processing another workload";
    case Decision::Code::kNoRoom:
      return "couldn't find nodes for its pods: " + decision.why_no_room;
    case Decision::Code::kWaitsForPods:
      return "waiting for all admitted workloads to be in PodsReady condition";
    case Decision::Code::kFailedChecks:
      return "The workload has failed admission checks";
    case Decision::Code::kInactiveQueue:
      return fmt::format("ClusterQueue {} is inactive", scheduler.quotas().tree().name(workload.queue));
    case Decision::Code::kNamespaceMismatch:
      return "workload namespace doesn't match ClusterQueue selector";
    case Decision::Code::kNamespaceMissing:
      return fmt::format("workload namespace \"{0}\" does not exist: Namespace \"{0}\" not found",
                         symbol_text(scheduler, workload.name_space));
    case Decision::Code::kPodsRefused:
      return workload.pod_problem;
  }
  return {};
}

std::string reservation_text(const KueueScheduler& scheduler, const Decision& decision, Duration waited) {
  const Workload& workload = scheduler.workloads().at(decision.workload);
  std::vector<std::string> considered;
  for (const PodSetAssignment& set : decision.assignment.pod_sets) {
    const std::string text = considered_text(scheduler, set);
    if (!text.empty()) considered.push_back(fmt::format("{}: {}", workload.pod_sets.at(set.pod_set).name, text));
  }
  return fmt::format("Quota reserved in ClusterQueue {}, wait time since queued was {:.0f}s{}{}",
                     scheduler.quotas().tree().name(workload.queue), static_cast<double>(waited.nanoseconds) / 1e9,
                     considered.empty() ? "" : "; Flavors considered: ", fmt::join(considered, " | "));
}

std::string_view reason_name(PreemptionReason reason) {
  switch (reason) {
    case PreemptionReason::kInClusterQueue:
      return "InClusterQueue";
    case PreemptionReason::kInCohortReclamation:
      return "InCohortReclamation";
    case PreemptionReason::kInCohortFairSharing:
      return "InCohortFairSharing";
    case PreemptionReason::kInCohortReclaimWhileBorrowing:
      return "InCohortReclaimWhileBorrowing";
  }
  return {};
}

std::string preempted_text(const KueueScheduler& scheduler, WorkloadId preemptor, const Victim& victim) {
  constexpr const char* kReasons[] = {"prioritization in the ClusterQueue", "reclamation within the cohort",
                                      "Fair Sharing within the cohort",
                                      "reclamation within the cohort while borrowing"};
  const Workload& by = scheduler.workloads().at(preemptor);
  return fmt::format(
      "Preempted to accommodate a workload (UID: {}, JobUID: {}) due to {}; preemptor path: {}; preemptee path: {}",
      or_unknown(by.uid), or_unknown(by.job_uid), kReasons[static_cast<std::size_t>(victim.reason)],
      path_text(scheduler, by.queue), path_text(scheduler, scheduler.workloads().at(victim.workload).queue));
}

std::string_view preemptor_uid(std::string_view message) {
  constexpr std::string_view kBefore = "Preempted to accommodate a workload (UID: ";
  const std::size_t from = message.find(kBefore);
  if (from == std::string_view::npos) return {};
  const std::string_view rest = message.substr(from + kBefore.size());
  const std::string_view uid = rest.substr(0, rest.find(','));
  return uid == or_unknown({}) ? std::string_view() : uid;
}

std::string preempted_event_text(const KueueScheduler& scheduler, WorkloadId preemptor, const Victim& victim) {
  return preempted_text(scheduler, preemptor, victim) +
         priorities_text(scheduler.workloads().at(preemptor), scheduler.workloads().at(victim.workload));
}

std::string preempting_event_text(const KueueScheduler& scheduler, WorkloadId preemptor, const Victim& victim) {
  const Workload& other = scheduler.workloads().at(victim.workload);
  return fmt::format("Preempted workload {} (UID: {}) in ClusterQueue {}{}", other.name, other.uid,
                     scheduler.quotas().tree().name(other.queue),
                     priorities_text(scheduler.workloads().at(preemptor), other));
}

ActiveCondition active_condition(const ClusterQueue& queue) {
  using Why = Inactive::Code;
  ActiveCondition condition{true, "Ready", "Can admit new workloads"};
  std::vector<std::string> messages;
  const auto say = [&](std::string_view reason, std::string message) {
    if (messages.empty()) condition.reason = reason;
    messages.push_back(std::move(message));
  };
  for (const Inactive& it : queue.inactive) {
    const std::string names = fmt::format("{}", fmt::join(it.names, ","));
    switch (it.code) {
      case Why::kTerminating:
        return {false, "Terminating", "Can't admit new workloads; clusterQueue is terminating"};
      case Why::kStopped:
        say("Stopped", "is stopped");
        break;
      case Why::kFlavorNotFound:
        say("FlavorNotFound", "references missing ResourceFlavor(s): " + names);
        break;
      case Why::kCheckNotFound:
        say("AdmissionCheckNotFound", "references missing AdmissionCheck(s): " + names);
        break;
      case Why::kCheckInactive:
        say("AdmissionCheckInactive", "references inactive AdmissionCheck(s): " + names);
        break;
      case Why::kSeveralMultiKueueChecks:
        say("MultipleMultiKueueAdmissionChecks",
            "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found: " + names);
        break;
      case Why::kMultiKueuePerFlavor:
        say("MultiKueueAdmissionCheckAppliedPerFlavor",
            "Cannot specify MultiKueue AdmissionCheck per flavor, found: " + names);
        break;
      case Why::kMultiKueueWithProvisioning:
        say("MultiKueueWithProvisioningRequest",
            fmt::format("Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, found: {}",
                        fmt::join(it.names, ", ")));
        break;
      case Why::kTopologyUnsupported:
        say("TopologyUnsupported", "places in the topology of ResourceFlavor(s) are not chosen yet: " + names);
        break;
      case Why::kMultiKueueUnsupported:
        say("MultiKueueUnsupported", "MultiKueue is not supported yet: " + names);
        break;
      case Why::kCohortCycle:  // which the condition does not tell
        break;
    }
  }
  if (!messages.empty()) {
    condition.is_active = false;
    condition.message = fmt::format("Can't admit new workloads: {}.", fmt::join(messages, ", "));
  }
  return condition;
}

}  // namespace loadline::queue::kueue
