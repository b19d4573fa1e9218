#include "app/report/plan_document.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "app/report/devices.h"
#include "app/report/members.h"
#include "app/report/pod_groups.h"
#include "app/report/queues_document.h"
#include "app/report/starts.h"
#include "app/report/summary.h"
#include "app/report/words.h"

namespace loadline::report {
namespace {

using document::Array;
using document::Value;
using simulator::Plan;
using simulator::PlannedNode;
using simulator::PlannedPod;
using simulator::PodOutcome;

Array reasons_array(const std::vector<simulator::NodeReason>& reasons) {
  Array array;
  for (const simulator::NodeReason& reason : reasons) {
    array.push_back(Members()
                        .add("nodes", number(reason.nodes))
                        .add_text("plugin", reason.plugin)
                        .add("message", Value(reason.text))
                        .finish());
  }
  return array;
}

Value counts_value(const Counts& counts) {
  Members members;
  members.add("total", number(counts.total()))
      .add("running", number(counts.running))
      .add("placed", number(counts.placed))
      .add("pending", number(counts.pending))
      .add("gated", number(counts.gated))
      .add("rejected", number(counts.rejected))
      .add("preempted", number(counts.preempted))
      .add("evicted", number(counts.evicted))
      .add("ignored", number(counts.ignored));
  if (counts.failed > 0) members.add("failed", number(counts.failed));
  if (counts.undecided > 0) members.add("undecided", number(counts.undecided));
  if (counts.not_created > 0) members.add("notCreated", number(counts.not_created));
  if (counts.queued > 0) members.add("queued", number(counts.queued));
  return members.finish();
}

bool waits(PodOutcome outcome) { return outcome != PodOutcome::kPreempted && outcome != PodOutcome::kEvicted; }

Array waiting_array(const Plan& plan, const Scope& scope) {
  Array array;
  for (const WorkloadReport& workload : by_workload(plan, scope)) {
    for (const PodGroup& group : workload.groups) {
      if (!waits(group.outcome)) continue;
      array.push_back(Members()
                          .add("workload", workload_value(workload.name))
                          .add("outcome", Value(outcome_word(group.outcome)))
                          .add("pods", number(group.pods.size()))
                          .add_text("message", group.message)
                          .add_list("reasons", reasons_array(group.reasons))
                          .finish());
    }
  }
  return array;
}

/// Workloads whose queues are other projects', those without pods among them.
Array undecided_array(const Plan& plan, const Scope& scope) {
  Array array;
  for (const UndecidedWork& work : undecided_work(plan, scope)) {
    array.push_back(Members()
                        .add("workload", workload_value(work.workload))
                        .add("pods", number(work.pods))
                        .add("why", Value(work.why))
                        .finish());
  }
  return array;
}

Array resources_array(const std::vector<Utilisation>& resources) {
  Array array;
  for (const Utilisation& entry : resources) {
    array.push_back(Members()
                        .add("name", Value(entry.resource))
                        .add("allocatable", Value(entry.allocatable.to_string()))
                        .add("requested", Value(entry.requested.to_string()))
                        .add("percent", Value(std::int64_t{entry.percent()}))
                        .finish());
  }
  return array;
}

Value gpus_value(const GpuFragmentation& gpus) {
  Array because;
  for (const UnusableGpus& entry : gpus.because) {
    because.push_back(Members()
                          .add("node", Value(entry.node))
                          .add("gpus", Value(entry.gpus))
                          .add("reason", Value(unusable_word(entry.why)))
                          .add_text("detail", entry.detail)
                          .finish());
  }
  return Members()
      .add("resource", Value(gpus.resource))
      .add("allocatable", Value(gpus.allocatable))
      .add("requested", Value(gpus.requested))
      .add("free", Value(gpus.free))
      .add("largestFree", Value(gpus.largest_free))
      .add("wanted", Value(gpus.wanted))
      .add("pendingPods", number(gpus.pending_pods))
      .add("unusable", Value(gpus.unusable))
      .add_list("because", std::move(because))
      .finish();
}

Value summary_value(const Plan& plan, const Scope& scope) {
  const Summary summary = summarize(plan, scope);
  Array gpus;
  for (const GpuFragmentation& entry : summary.gpus) gpus.push_back(gpus_value(entry));
  return Members()
      .add("pods", counts_value(summary.counts))
      .add("allPlaced", Value(summary.all_placed()))
      .add_list("waiting", waiting_array(plan, scope))
      .add_list("undecided", undecided_array(plan, scope))
      .add_list("resources", resources_array(summary.resources))
      .add_list("gpus", std::move(gpus))
      .add("schedulingAttempts", number(summary.cycles))
      .finish();
}

/// By pod index: the devices it holds.
using Holdings = std::map<std::size_t, Members>;

Holdings holdings(const Plan& plan) {
  Holdings result;
  for (const PlannedNode& node : plan.nodes) {
    for (const NodeDevices& entry : devices(plan, node)) {
      std::map<std::size_t, Array> held;
      for (std::size_t slot = 0; slot < entry.slots.size(); ++slot) {
        if (entry.slots[slot]) held[*entry.slots[slot]].push_back(number(slot));
      }
      for (auto& [pod, slots] : held) result[pod].add(entry.resource, Value(std::move(slots)));
    }
  }
  return result;
}

Value amounts_value(const kube::ResourceList& amounts) {
  Members members;
  for (const auto& [name, amount] : amounts) members.add(name, Value(amount.to_string()));
  return members.finish();
}

Value pod_value(const PlannedPod& pod, Members* devices) {
  Members members;
  members.add("namespace", Value(pod.name_space))
      .add("name", Value(pod.name))
      .add("workload", workload_value(pod.workload))
      .add_text("role", pod.role)
      .add("outcome", Value(outcome_word(pod.outcome)))
      .add_text("node", pod.node)
      .add_text("nominatedNode", pod.nominated_node)
      .add("priority", Value(std::int64_t{pod.priority}))
      .add_text("schedulerName", pod.scheduler_name)
      .add_text("podGroup", pod.pod_group);
  if (!pod.requests.empty()) members.add("requests", amounts_value(pod.requests));
  if (devices != nullptr) members.add("devices", devices->finish());
  if (pod.start) members.add("plannedStart", start_value(*pod.start));
  Array spares;
  for (const std::string& holder : pod.spares) spares.emplace_back(holder);
  return members.add_text("message", pod.message)
      .add_list("reasons", reasons_array(pod.reasons))
      .add_list("spares", std::move(spares))
      .add_text("undecided", pod.undecided)
      .add_text("heldBy", pod.held_by)
      .add_list("passed", passed_array(pod.passed))
      .add_text("preemptedBy", pod.preempted_by)
      .add_text("replacedBy", pod.replaced_by)
      .add_text("reservation", pod.reservation)
      .add("afterSeconds", seconds_value(pod.after))
      .finish();
}

Value devices_value(const Plan& plan, const std::vector<NodeDevices>& all) {
  Members members;
  for (const NodeDevices& entry : all) {
    Array slots;
    for (std::size_t i = 0; i < entry.slots.size(); ++i) {
      const std::optional<std::size_t> reservation = entry.reservation_of(i);
      if (entry.slots[i]) {
        slots.emplace_back(pod_key(plan.pods[*entry.slots[i]]));
      } else {
        slots.push_back(reservation ? Value("Reservation " + reservation_key(plan.reservations[*reservation]))
                                    : Value());
      }
    }
    members.add(entry.resource, Value(std::move(slots)));
  }
  return members.finish();
}

Array reserved_array(const Plan& plan, const PlannedNode& node) {
  std::map<std::size_t, std::size_t> pods;
  for (const std::size_t reservation : node.reserved) ++pods[reservation];
  Array array;
  for (const auto& [reservation, count] : pods) {
    array.push_back(Members()
                        .add("reservation", Value(reservation_key(plan.reservations[reservation])))
                        .add("pods", number(count))
                        .finish());
  }
  return array;
}

Value node_value(const Plan& plan, const PlannedNode& node) {
  Members labels;
  for (const auto& [key, value] : node.labels) labels.add(key, Value(value));
  Members resources;
  for (const auto& [name, amounts] : node.resources) {
    resources.add(name, Members()
                            .add("allocatable", Value(amounts.allocatable.to_string()))
                            .add("requested", Value(amounts.requested.to_string()))
                            .finish());
  }
  Array taints;
  for (const std::string& taint : node.taints) taints.emplace_back(taint);
  Array pods;
  for (const std::size_t pod : node.pods) pods.emplace_back(pod_key(plan.pods[pod]));
  Members members;
  members.add("name", Value(node.name)).add("unschedulable", Value(node.unschedulable));
  if (!labels.empty()) members.add("labels", labels.finish());
  members.add_list("taints", std::move(taints))
      .add("allowedPods", Value(node.allowed_pods))
      .add_list("pods", std::move(pods))
      .add_list("reserved", reserved_array(plan, node))
      .add("resources", resources.finish());
  const std::vector<NodeDevices> all = devices(plan, node);
  if (!all.empty()) members.add("devices", devices_value(plan, all));
  return members.finish();
}

Value refused_value(const simulator::RefusedObject& entry) {
  return Members()
      .add("kind", Value(entry.object.kind))
      .add_text("namespace", entry.object.name_space)
      .add("name", Value(entry.object.name))
      .add("message", Value(entry.message))
      .finish();
}

Value reservation_value(const Plan& plan, const simulator::PlannedReservation& reservation) {
  Array nodes;
  for (const simulator::ReservedShare& share : reservation.nodes) {
    nodes.push_back(Members().add("name", Value(share.node)).add("pods", number(share.pods)).finish());
  }
  Array consumers;
  for (const std::size_t pod : reservation.consumers) consumers.emplace_back(pod_key(plan.pods[pod]));
  Members members;
  members.add_text("namespace", reservation.name_space)
      .add("name", Value(reservation.name))
      .add("outcome", Value(outcome_word(reservation.outcome)))
      .add("pods", number(reservation.pods))
      .add("held", number(reservation.held))
      .add("waiting", number(reservation.waiting))
      .add("consumed", number(reservation.consumed))
      .add_list("nodes", std::move(nodes))
      .add_list("consumers", std::move(consumers));
  if (reservation.is_for_replacements) members.add("for", Value("Replacements"));
  if (!reservation.per_domain.empty()) members.add("perDomain", Value(reservation.per_domain));
  Array domains;
  for (const simulator::ReservedDomain& domain : reservation.domains) {
    domains.push_back(Members()
                          .add("name", Value(domain.name))
                          .add("held", number(domain.held))
                          .add("waiting", number(domain.waiting))
                          .finish());
  }
  members.add_list("domains", std::move(domains));
  if (!reservation.requests.empty()) members.add("requests", amounts_value(reservation.requests));
  if (reservation.from) members.add("from", Value(format_rfc3339(*reservation.from)));
  if (reservation.until) members.add("until", Value(format_rfc3339(*reservation.until)));
  return members.add_text("message", reservation.message)
      .add_list("reasons", reasons_array(reservation.reasons))
      .finish();
}

Value event_value(const simulator::PlannedEvent& event) {
  return Members()
      .add("afterSeconds", seconds_value(event.after))
      .add("subject", Value(event.subject))
      .add("reason", Value(event.reason))
      .add_text("message", event.message)
      .finish();
}

}  // namespace

Value plan_document(const Plan& plan, const Scope& scope) {
  Holdings held = holdings(plan);
  Array pods;
  for (std::size_t index = 0; index < plan.pods.size(); ++index) {
    if (!scope.shows(plan.pods[index])) continue;
    const auto found = held.find(index);
    pods.push_back(pod_value(plan.pods[index], found == held.end() ? nullptr : &found->second));
  }
  Array nodes;
  for (const PlannedNode& node : plan.nodes) nodes.push_back(node_value(plan, node));
  Array refused;
  for (const simulator::RefusedObject& entry : plan.refused) {
    if (scope.shows(entry.object)) refused.push_back(refused_value(entry));
  }
  Array idle;
  for (const simulator::WorkloadName& workload : plan.idle) {
    if (scope.shows(workload)) idle.push_back(workload_value(workload));
  }
  Array groups;
  for (const simulator::PlannedGroup& group : plan.groups) {
    if (scope.shows(group)) groups.push_back(group_value(group));
  }
  Array reservations;
  for (const simulator::PlannedReservation& reservation : plan.reservations) {
    if (scope.shows(reservation)) reservations.push_back(reservation_value(plan, reservation));
  }
  Array events;
  for (const simulator::PlannedEvent& event : plan.events) events.push_back(event_value(event));
  Array notes;
  for (const Diagnostic& note : plan.notes) notes.emplace_back(note.to_string());
  return Members()
      .add("apiVersion", Value("loadline/v1alpha1"))
      .add("kind", Value("Plan"))
      .add("summary", summary_value(plan, scope))
      .add("pods", Value(std::move(pods)))
      .add("nodes", Value(std::move(nodes)))
      .add_list("podGroups", std::move(groups))
      .add("refused", Value(std::move(refused)))
      .add_list("idleWorkloads", std::move(idle))
      .add_list("queues", queues_array(plan))
      .add_list("queuedWorkloads", queued_workloads_array(plan, scope))
      .add_list("reservations", std::move(reservations))
      .add("events", Value(std::move(events)))
      .add("notes", Value(std::move(notes)))
      .finish();
}

}  // namespace loadline::report
