#include "report/diff_document.h"

#include <string>
#include <utility>

#include "report/free_resources.h"
#include "report/words.h"

namespace loadline::report {
namespace {

using document::Array;
using document::Object;
using document::Value;
using simulator::Comparison;
using simulator::Fate;
using simulator::PlannedPod;
using simulator::PodDifference;

void add(Object& object, std::string key, Value value) { object.push_back({std::move(key), std::move(value), {}}); }

void add_text(Object& object, std::string key, const std::string& text) {
  if (!text.empty()) add(object, std::move(key), Value(text));
}

void add_list(Object& object, std::string key, Array list) {
  if (!list.empty()) add(object, std::move(key), Value(std::move(list)));
}

Value number(std::size_t count) { return Value(static_cast<std::int64_t>(count)); }

Value workload_value(const simulator::WorkloadName& name) {
  Object object;
  add(object, "kind", Value(name.kind));
  add_text(object, "namespace", name.name_space);
  add(object, "name", Value(name.name));
  return Value(std::move(object));
}

bool has_node(const PlannedPod& pod) {
  return pod.outcome == simulator::Outcome::kPlaced || pod.outcome == simulator::Outcome::kRunning;
}

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
  Object object;
  add(object, "namespace", Value(row.subject->name_space));
  add(object, "name", Value(row.subject->name));
  add_text(object, "newName", row.new_name);
  add(object, "workload", workload_value(row.subject->workload));
  add(object, "fate", Value(fate_word(entry.fate)));
  add_text(object, "from", row.from);
  add_text(object, "to", row.to);
  add_text(object, "outcomeBefore", row.outcome_before);
  add_text(object, "outcomeAfter", row.outcome_after);
  add_text(object, "why", entry.why);
  add_text(object, "preemptedBy", row.preempted_by);
  if (entry.fate == Fate::kGone) add(object, "intended", Value(entry.intended));
  add_text(object, "message", row.message);
  Array reasons;
  const std::vector<simulator::NodeReason> none;
  for (const simulator::NodeReason& reason : row.after != nullptr ? row.after->reasons : none) {
    Object item;
    add(item, "nodes", number(reason.nodes));
    add_text(item, "plugin", reason.plugin);
    add(item, "message", Value(reason.text));
    reasons.emplace_back(std::move(item));
  }
  add_list(object, "reasons", std::move(reasons));
  return Value(std::move(object));
}

Value summary_value(const Comparison& comparison) {
  const simulator::Difference& difference = comparison.difference;
  Object object;
  add(object, "moved", number(difference.count(Fate::kMoved)));
  add(object, "becamePending", number(difference.count(Fate::kUnplaced)));
  add(object, "placed", number(difference.count(Fate::kPlaced)));
  add(object, "appeared", number(difference.count(Fate::kAppeared)));
  add(object, "gone", number(difference.count(Fate::kGone)));
  add(object, "restated", number(difference.count(Fate::kRestated)));
  add(object, "unchanged", number(difference.unchanged));
  add(object, "stillWaiting", number(difference.waiting));
  add(object, "worse", Value(simulator::got_worse(difference, comparison.after, comparison.change)));
  return Value(std::move(object));
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

Array drains_array(const Comparison& comparison) {
  Array array;
  for (const simulator::DrainedNode& drained : comparison.change.drains) {
    Array blocked;
    for (const simulator::RefusedEviction& entry : comparison.after.refused_evictions) {
      const PlannedPod& pod = comparison.after.pods[entry.pod];
      if (pod.node != drained.node) continue;
      Object item;
      add(item, "pod", Value(pod_key(pod)));
      add(item, "message", Value(entry.message));
      blocked.emplace_back(std::move(item));
    }
    Object object;
    add(object, "node", Value(drained.node));
    add(object, "evicted", number(drained.evicted.size() - blocked.size()));
    add(object, "daemons", number(drained.daemons));
    add_list(object, "blocked", std::move(blocked));
    add_list(object, "unmanaged", names_array(drained.unmanaged));
    add_list(object, "localData", names_array(drained.local_data));
    array.emplace_back(std::move(object));
  }
  return array;
}

Value amount_value(const FreeAmount& amount) {
  Object object;
  add(object, "allocatable", Value(amount.allocatable.to_string()));
  add(object, "free", Value(amount.free.to_string()));
  return Value(std::move(object));
}

Array free_array(const Comparison& comparison) {
  Array array;
  for (const FreeChange& change : free_changes(comparison.before, comparison.after)) {
    Object object;
    add(object, "resource", Value(change.resource));
    add(object, "before", amount_value(change.before));
    add(object, "after", amount_value(change.after));
    array.emplace_back(std::move(object));
  }
  return array;
}

Array refused_array(const Comparison& comparison) {
  Array array;
  for (const std::size_t index : comparison.difference.refused) {
    const simulator::RefusedObject& entry = comparison.after.refused[index];
    Object object;
    add(object, "kind", Value(entry.object.kind));
    add_text(object, "namespace", entry.object.name_space);
    add(object, "name", Value(entry.object.name));
    add(object, "message", Value(entry.message));
    array.emplace_back(std::move(object));
  }
  return array;
}

}  // namespace

std::string_view fate_word(Fate fate) {
  switch (fate) {
    case Fate::kMoved:
      return "Moved";
    case Fate::kUnplaced:
      return "BecamePending";
    case Fate::kPlaced:
      return "Placed";
    case Fate::kAppeared:
      return "Appeared";
    case Fate::kGone:
      return "Gone";
    case Fate::kRestated:
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
  Object object;
  add(object, "apiVersion", Value("loadline/v1alpha1"));
  add(object, "kind", Value("PlanDifference"));
  add(object, "summary", summary_value(comparison));
  add(object, "pods", Value(std::move(pods)));
  add_list(object, "refused", refused_array(comparison));
  add_list(object, "drains", drains_array(comparison));
  add_list(object, "nodesAdded", texts_array(comparison.change.nodes_added));
  add_list(object, "nodesRemoved", texts_array(comparison.change.nodes_removed));
  add(object, "free", Value(free_array(comparison)));
  add(object, "notes", Value(std::move(notes)));
  return Value(std::move(object));
}

Table diff_csv(const Comparison& comparison) {
  Table table;
  for (const char* header : {"fate", "namespace", "name", "new_name", "workload_kind", "workload", "from", "to",
                             "outcome_before", "outcome_after", "why", "message"}) {
    table.columns.push_back({header});
  }
  for (const PodDifference& entry : comparison.difference.pods) {
    const Row row = row_of(comparison, entry);
    table.rows.push_back({std::string(fate_word(entry.fate)), row.subject->name_space, row.subject->name, row.new_name,
                          row.subject->workload.kind, row.subject->workload.name, row.from, row.to, row.outcome_before,
                          row.outcome_after, entry.why, row.message});
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
    table.rows.push_back({std::string(fate_word(entry.fate)), row.subject->name_space, row.subject->name, row.from, to,
                          row.new_name, entry.why.empty() ? row.message : entry.why});
  }
  return table;
}

}  // namespace loadline::report
