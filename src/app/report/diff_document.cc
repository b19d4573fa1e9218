#include "app/report/diff_document.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/report/disturbance.h"
#include "app/report/drain_schedule.h"
#include "app/report/free_resources.h"
#include "app/report/members.h"
#include "app/report/pod_groups.h"
#include "app/report/words.h"

namespace loadline::report {
namespace {

using document::Array;
using document::Value;
using simulator::Comparison;
using simulator::PlannedPod;
using simulator::PodChange;
using simulator::PodDifference;

/// What the formats say of an entry, as text.
struct Row {
  const PlannedPod* before = nullptr;
  const PlannedPod* after = nullptr;
  const PlannedPod* subject = nullptr;
  std::string new_name, from, to, outcome_before, outcome_after, preempted_by, message;
};

Row row_of(const Comparison& comparison, const PodDifference& entry) {
  Row row;
  row.subject = &subject_of(comparison, entry);
  if (entry.before) {
    row.before = &comparison.before.pods[*entry.before];
    row.outcome_before = outcome_word(row.before->outcome);
    if (has_node(*row.before)) row.from = row.before->node;
  }
  if (entry.after) {
    row.after = &comparison.after.pods[*entry.after];
    row.outcome_after = outcome_word(row.after->outcome);
    if (row.after->name != row.subject->name) row.new_name = row.after->name;
    if (has_node(*row.after)) row.to = row.after->node;
    row.message = row.after->message;
  }
  if (entry.left) {
    row.preempted_by = comparison.after.pods[*entry.left].preempted_by;
    if (!entry.after) row.outcome_after = outcome_word(comparison.after.pods[*entry.left].outcome);
  }
  return row;
}

Value pod_value(const Comparison& comparison, const PodDifference& entry) {
  const Row row = row_of(comparison, entry);
  Members object;
  object.add("namespace", Value(row.subject->name_space));
  object.add("name", Value(row.subject->name));
  object.add_text("newName", row.new_name);
  object.add("workload", workload_value(row.subject->workload));
  object.add("change", Value(pod_change_word(entry.change)));
  object.add("fate", Value(pod_change_word(entry.change)));  // an older name, to be gone with 0.2
  object.add_text("from", row.from);
  object.add_text("to", row.to);
  object.add_text("outcomeBefore", row.outcome_before);
  object.add_text("outcomeAfter", row.outcome_after);
  object.add_text("why", entry.why);
  object.add_text("preemptedBy", row.preempted_by);
  if (entry.change == PodChange::kGone) object.add("intended", Value(entry.intended));
  object.add_text("message", row.message);
  Array reasons;
  const std::vector<simulator::NodeReason> none;
  for (const simulator::NodeReason& reason : row.after != nullptr ? row.after->reasons : none) {
    Members item;
    item.add("nodes", number(reason.nodes));
    item.add_text("plugin", reason.plugin);
    item.add("message", Value(reason.text));
    reasons.push_back(item.finish());
  }
  object.add_list("reasons", std::move(reasons));
  return object.finish();
}

Value summary_value(const Comparison& comparison) {
  const simulator::Difference& difference = comparison.difference;
  Members object;
  object.add("moved", number(difference.count(PodChange::kMoved)));
  object.add("becamePending", number(difference.count(PodChange::kUnplaced)));
  object.add("placed", number(difference.count(PodChange::kPlaced)));
  object.add("appeared", number(difference.count(PodChange::kAppeared)));
  object.add("gone", number(difference.count(PodChange::kGone)));
  object.add("restated", number(difference.count(PodChange::kRestated)));
  object.add("unchanged", number(difference.unchanged));
  object.add("stillWaiting", number(difference.waiting));
  object.add("worse", Value(simulator::got_worse(comparison)));
  return object.finish();
}

std::string text_of(const simulator::PodName& pod) { return pod.name_space + "/" + pod.name; }

Array names_array(const std::vector<simulator::PodName>& pods) {
  Array array;
  for (const simulator::PodName& pod : pods) array.emplace_back(text_of(pod));
  return array;
}

Array texts_array(const std::vector<std::string>& texts) {
  Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

Value refused_eviction_value(const PlannedPod& pod, const std::string& message) {
  return Members().add("pod", Value(pod_key(pod))).add("node", Value(pod.node)).add("message", Value(message)).finish();
}

/// Of the pods on one node, or of all.
Array refused_evictions_array(const simulator::Plan& after, std::string_view node = {}) {
  Array array;
  for (const simulator::RefusedEviction& entry : after.refused_evictions) {
    const PlannedPod& pod = after.pods[entry.pod];
    if (node.empty() || pod.node == node) array.push_back(refused_eviction_value(pod, entry.message));
  }
  return array;
}

std::set<simulator::PodName> evicted_pods(const simulator::Plan& plan) {
  std::set<simulator::PodName> evicted;
  for (const PlannedPod& pod : plan.pods) {
    if (pod.outcome == simulator::PodOutcome::kEvicted) evicted.insert({pod.name_space, pod.name});
  }
  return evicted;
}

Array drains_array(const Comparison& comparison) {
  const std::set<simulator::PodName> evicted = evicted_pods(comparison.after);
  Array array;
  for (const simulator::DrainedNode& drained : comparison.change.drains) {
    const auto is_evicted = [&](const simulator::PodName& pod) { return evicted.contains(pod); };
    Members object;
    object.add("node", Value(drained.node));
    object.add("evicted", Value(std::int64_t{std::ranges::count_if(drained.evicted, is_evicted)}));
    object.add("daemons", number(drained.daemons));
    object.add_list("blocked", refused_evictions_array(comparison.after, drained.node));
    object.add_list("unmanaged", names_array(drained.unmanaged));
    object.add_list("localData", names_array(drained.local_data));
    array.push_back(object.finish());
  }
  return array;
}

Value amount_value(const FreeAmount& amount) {
  Members object;
  object.add("allocatable", Value(amount.allocatable.to_string()));
  object.add("free", Value(amount.free.to_string()));
  return object.finish();
}

Array free_array(const Comparison& comparison) {
  Array array;
  for (const FreeChange& change : free_changes(comparison.before, comparison.after)) {
    Members object;
    object.add("resource", Value(change.resource));
    object.add("before", amount_value(change.before));
    object.add("after", amount_value(change.after));
    array.push_back(object.finish());
  }
  return array;
}

Array refused_array(const Comparison& comparison) {
  Array array;
  for (const std::size_t index : comparison.difference.refused) {
    const simulator::RefusedObject& entry = comparison.after.refused[index];
    Members object;
    object.add("kind", Value(entry.object.kind));
    object.add_text("namespace", entry.object.name_space);
    object.add("name", Value(entry.object.name));
    object.add("message", Value(entry.message));
    array.push_back(object.finish());
  }
  return array;
}

Array groups_array(const Comparison& comparison) {
  Array array;
  for (const simulator::GroupDifference& entry : comparison.difference.groups) {
    Members object;
    if (entry.before) object.add("before", group_value(comparison.before.groups[*entry.before]));
    object.add("after", group_value(comparison.after.groups[entry.after]));
    array.push_back(object.finish());
  }
  return array;
}

Value room_value(const simulator::PlannedReservation& reservation) {
  Array nodes;
  for (const simulator::ReservedShare& share : reservation.nodes) {
    nodes.push_back(Members().add("name", Value(share.node)).add("pods", number(share.pods)).finish());
  }
  return Members()
      .add("outcome", Value(outcome_word(reservation.outcome)))
      .add("held", number(reservation.held))
      .add("waiting", number(reservation.waiting))
      .add("consumed", number(reservation.consumed))
      .add_list("nodes", std::move(nodes))
      .add_text("message", reservation.message)
      .finish();
}

Array reservations_array(const Comparison& comparison) {
  Array array;
  for (const simulator::ReservationDifference& entry : comparison.difference.reservations) {
    const auto* before = entry.before ? &comparison.before.reservations[*entry.before] : nullptr;
    const auto* after = entry.after ? &comparison.after.reservations[*entry.after] : nullptr;
    Members object;
    object.add_text("namespace", (after != nullptr ? after : before)->name_space);
    object.add("name", Value((after != nullptr ? after : before)->name));
    if (before != nullptr) object.add("before", room_value(*before));
    if (after != nullptr) object.add("after", room_value(*after));
    array.push_back(object.finish());
  }
  return array;
}

}  // namespace

std::string_view pod_change_word(PodChange change) {
  switch (change) {
    case PodChange::kMoved:
      return "Moved";
    case PodChange::kUnplaced:
      return "BecamePending";
    case PodChange::kPlaced:
      return "Placed";
    case PodChange::kAppeared:
      return "Appeared";
    case PodChange::kGone:
      return "Gone";
    case PodChange::kRestated:
      return "Restated";
  }
  return "";
}

const PlannedPod& subject_of(const Comparison& comparison, const PodDifference& entry) {
  return entry.before ? comparison.before.pods[*entry.before] : comparison.after.pods[*entry.after];
}

Value diff_document(const Comparison& comparison) {
  Array pods;
  for (const PodDifference& entry : comparison.difference.pods) {
    pods.push_back(pod_value(comparison, entry));
  }
  Array notes;
  for (const Diagnostic& note : comparison.change.notes) notes.emplace_back(note.to_string());
  for (const Diagnostic& note : comparison.after.notes) notes.emplace_back(note.to_string());
  Members object;
  object.add("apiVersion", Value("loadline/v1alpha1"));
  object.add("kind", Value("PlanDifference"));
  object.add("summary", summary_value(comparison));
  object.add("pods", Value(std::move(pods)));
  object.add_list("podGroups", groups_array(comparison));
  if (!comparison.disturbance.gangs.empty()) object.add("disturbance", disturbance_value(comparison));
  if (comparison.drain_schedule) object.add("drainSchedule", drain_schedule_value(comparison));
  object.add_list("reservations", reservations_array(comparison));
  object.add_list("refused", refused_array(comparison));
  object.add_list("drains", drains_array(comparison));
  object.add_list("refusedEvictions", refused_evictions_array(comparison.after));
  object.add_list("nodesAdded", texts_array(comparison.change.nodes_added));
  object.add_list("nodesRemoved", texts_array(comparison.change.nodes_removed));
  object.add("free", Value(free_array(comparison)));
  object.add("notes", Value(std::move(notes)));
  return object.finish();
}

Table diff_csv(const Comparison& comparison) {
  Table table;
  for (const char* header : {"change", "namespace", "name", "new_name", "workload_kind", "workload", "from", "to",
                             "outcome_before", "outcome_after", "why", "message"}) {
    table.columns.push_back({header});
  }
  for (const PodDifference& entry : comparison.difference.pods) {
    const Row row = row_of(comparison, entry);
    table.rows.push_back({std::string(pod_change_word(entry.change)), row.subject->name_space, row.subject->name,
                          row.new_name, row.subject->workload.kind, row.subject->workload.name, row.from, row.to,
                          row.outcome_before, row.outcome_after, entry.why, row.message});
  }
  return table;
}

Table diff_table(const Comparison& comparison) {
  Table table;
  table.columns = {{"FATE"}, {"NAMESPACE"}, {"NAME"}, {"FROM"}, {"TO"}, {"NEW NAME"}, {"WHY", {}, true}};
  for (const PodDifference& entry : comparison.difference.pods) {
    const Row row = row_of(comparison, entry);
    std::string to = row.to;
    if (to.empty() && row.after != nullptr) to = "(" + row.outcome_after + ")";
    table.rows.push_back({std::string(pod_change_word(entry.change)), row.subject->name_space, row.subject->name,
                          row.from, to, row.new_name, entry.why.empty() ? row.message : entry.why});
  }
  return table;
}

}  // namespace loadline::report
