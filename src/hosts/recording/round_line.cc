#include "hosts/recording/round_line.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/queue/kueue/round_objects.h"
#include "brain/queue/kueue/round_text.h"
#include "foundation/document/value.h"

namespace loadline::recording {

using document::Array;
using document::Object;
using document::Value;
using queue::kueue::Decision;
using queue::kueue::KueueScheduler;
using queue::kueue::Victim;

namespace {

std::string_view name_of(Decision::Code code) {
  using Code = Decision::Code;
  switch (code) {
    case Code::kAdmitted:
      return "Admitted";
    case Code::kPreempting:
      return "Preempting";
    case Code::kNoFit:
      return "NoFit";
    case Code::kNoVictims:
      return "NoVictims";
    case Code::kRepetition:
      return "Repetition";
    case Code::kOverlapping:
      return "Overlapping";
    case Code::kTaken:
      return "Taken";
    case Code::kNoRoom:
      return "NoRoom";
    case Code::kWaitsForPods:
      return "WaitsForPods";
    case Code::kFailedChecks:
      return "FailedChecks";
    case Code::kInactiveQueue:
      return "InactiveQueue";
    case Code::kNamespaceMismatch:
      return "NamespaceMismatch";
    case Code::kNamespaceMissing:
      return "NamespaceMissing";
    case Code::kPodsRefused:
      return "PodsRefused";
  }
  return {};
}

Value pod_sets_of(const kube::WorkloadAdmission& admission) {
  Array sets;
  for (const kube::PodSetAssignment& set : admission.pod_set_assignments) {
    Object flavors;
    for (const auto& [resource, flavor] : set.flavors) flavors.push_back({resource, Value(flavor), {}});
    Object usage;
    for (const auto& [resource, amount] : set.resource_usage)
      usage.push_back({resource, Value(amount.to_string()), {}});
    sets.emplace_back(Object{{"name", Value(set.name), {}},
                             {"count", Value(std::int64_t{set.count.value_or(0)}), {}},
                             {"flavors", Value(std::move(flavors)), {}},
                             {"usage", Value(std::move(usage)), {}}});
  }
  return Value(std::move(sets));
}

Value victims_of(const std::vector<Victim>& victims, const KueueScheduler& scheduler) {
  Array named;
  for (const Victim& victim : victims) {
    named.emplace_back(Object{{"workload", Value(scheduler.workloads().at(victim.workload).name), {}},
                              {"reason", Value(reason_name(victim.reason)), {}}});
  }
  return Value(std::move(named));
}

}  // namespace

Line round_line(std::int64_t round, const Decision& decision, const KueueScheduler& scheduler) {
  const queue::kueue::Workload& workload = scheduler.workloads().at(decision.workload);
  Line line = Line::output();
  line.number("round", static_cast<std::uint64_t>(round)).text("workload", workload.name);
  line.some_text("uid", workload.uid).text("outcome", name_of(decision.code));
  line.text("clusterQueue", scheduler.quotas().tree().name(workload.queue));
  if (decision.code == Decision::Code::kAdmitted) {
    line.json("podSets", pod_sets_of(admission_of(scheduler, decision)));
    return line;
  }
  line.some_text("message", text(scheduler, decision));
  if (!decision.victims.empty()) line.json("victims", victims_of(decision.victims, scheduler));
  if (!decision.evicted.empty()) line.json("evicted", victims_of(decision.evicted, scheduler));
  line.text("requeued", decision.is_ready ? "Ready" : "Inadmissible");
  return line;
}

}  // namespace loadline::recording
