#include "app/report/explanation_document.h"

#include <string>
#include <utility>

#include "app/report/edit_text.h"
#include "app/report/group_obstacle_text.h"
#include "app/report/members.h"
#include "app/report/pod_groups.h"
#include "app/report/starts.h"
#include "app/report/suggestion_text.h"
#include "app/report/words.h"

namespace loadline::report {
namespace {

using advice::Explanation;
using advice::GroupObstacle;
using advice::Suggestion;
using document::Array;
using document::Value;

Array texts(const std::vector<std::string>& list) {
  Array array;
  for (const std::string& text : list) array.emplace_back(text);
  return array;
}

Value requests_value(const kube::ResourceList& requests) {
  Members members;
  for (const auto& [resource, amount] : requests) members.add(resource, Value(amount.to_string()));
  return members.finish();
}

Value pod_value(const simulator::PlannedPod& pod) {
  return Members()
      .add("namespace", Value(pod.name_space))
      .add("name", Value(pod.name))
      .add("workload", workload_value(pod.workload))
      .add("outcome", Value(outcome_word(pod.outcome)))
      .add_text("node", pod.node)
      .add("priority", Value(std::int64_t{pod.priority}))
      .add("requests", requests_value(pod.requests))
      .add_text("message", pod.message)
      .add_text("undecided", pod.undecided)
      .add_text("heldBy", pod.held_by)
      .add_list("passed", passed_array(pod.passed))
      .add_text("preemptedBy", pod.preempted_by)
      .add_text("replacedBy", pod.replaced_by)
      .finish();
}

Value obstacle_value(const GroupObstacle& it, std::size_t nodes) {
  Members members;
  members.add("plugin", Value(it.plugin)).add("message", Value(it.message));
  members.add("text", Value(group_obstacle_text(it, nodes)))
      .add_text("subject", it.subject)
      .add_text("wanted", it.wanted);
  Members found;
  for (const auto& [value, count] : it.found) found.add(value, number(count));
  if (!found.empty()) members.add("found", found.finish());
  members.add("forGood", Value(it.for_good)).add_text("emptiest", it.emptiest);
  if (it.needs != 0 || it.has != 0 || it.of != 0) {
    members.add("nearest", Members()
                               .add("node", Value(it.nearest))
                               .add("uniform", Value(it.uniform))
                               .add("needs", Value(it.needs))
                               .add("has", Value(it.has))
                               .add("of", Value(it.of))
                               .finish());
  }
  return members.finish();
}

Array groups_array(const Explanation& explanation) {
  Array groups;
  for (const advice::NodeGroup& group : explanation.groups) {
    Array obstacles;
    for (const GroupObstacle& each : group.obstacles) obstacles.push_back(obstacle_value(each, group.nodes.size()));
    groups.push_back(
        Members().add("nodes", Value(texts(group.nodes))).add("obstacles", Value(std::move(obstacles))).finish());
  }
  return groups;
}

Value scores_value(const advice::ScoreTable& table) {
  Array best;
  for (const advice::ScoredNode& row : table.best) {
    Array scores;
    for (const std::int64_t score : row.scores) scores.emplace_back(score);
    best.push_back(Members()
                       .add("node", Value(row.node))
                       .add("total", Value(row.total))
                       .add("scores", Value(std::move(scores)))
                       .finish());
  }
  return Members()
      .add("feasible", number(table.feasible))
      .add("tied", number(table.tied))
      .add("plugins", Value(texts(table.plugins)))
      .add("alike", Value(table.alike))
      .add("best", Value(std::move(best)))
      .finish();
}

std::string_view proof_name(advice::Proof proof) {
  switch (proof) {
    case advice::Proof::kPlanned:
      return "rehearsed";
    case advice::Proof::kProbed:
      return "probed";
    case advice::Proof::kUntried:
      break;
  }
  return "untried";
}

Value suggestion_value(const Suggestion& suggestion, const Explanation& explanation) {
  Array edits;
  for (const advice::Edit& edit : suggestion.remedy) {
    const EditText text = edit_text(edit);
    edits.push_back(Members()
                        .add("edit", Value(edit_name(edit)))
                        .add("text", Value(text.headline))
                        .add_text("command", text.command)
                        .add_list("patch", texts(text.patch))
                        .finish());
  }
  Array harm;
  for (const advice::Harm& each : suggestion.harm) {
    harm.push_back(Members().add("workload", workload_value(each.workload)).add("pods", number(each.pods)).finish());
  }
  return Members()
      .add("edits", Value(std::move(edits)))
      .add("proof", Value(proof_name(suggestion.proof)))
      .add_text("node", suggestion.node)
      .add("pods", number(suggestion.siblings))
      .add("placed", number(suggestion.placed))
      .add_list("victims", texts(suggestion.victims))
      .add_list("harm", std::move(harm))
      .add("text", Value(outcome_text(suggestion, explanation)))
      .finish();
}

Value explanation_value(const Explanation& explanation) {
  Members members;
  members.add("pod", pod_value(explanation.pod));
  members.add("workload", Members()
                              .add("pods", number(explanation.siblings))
                              .add("placed", number(explanation.placed_siblings))
                              .add("alike", number(explanation.alike))
                              .finish());
  members.add("nodes", number(explanation.nodes));
  if (explanation.pod_group) {
    members.add("podGroup", group_value(*explanation.pod_group));
    members.add("fitsWithGroup", Value(explanation.fits_with_group));
  }
  if (explanation.pod.start) members.add("plannedStart", start_value(*explanation.pod.start));
  if (explanation.holding_start) members.add("heldUntil", start_value(*explanation.holding_start));
  if (explanation.as_a_whole) {
    members.add("refusedAsAWhole", Members()
                                       .add_text("plugin", explanation.as_a_whole->plugin)
                                       .add("message", Value(explanation.as_a_whole->message))
                                       .finish());
  }
  Array unclassed;
  for (const std::string& claim : explanation.unclassed) unclassed.emplace_back(claim);
  members.add_list("claimsWithoutStorageClass", std::move(unclassed));
  members.add_list("groups", groups_array(explanation));
  members.add_list("spares", texts(explanation.spares));
  members.add_text("preemption", preemption_text(explanation));
  if (explanation.scores) members.add("scores", scores_value(*explanation.scores));
  Array suggestions;
  for (const Suggestion& each : explanation.suggestions) suggestions.push_back(suggestion_value(each, explanation));
  members.add("suggestions", Value(std::move(suggestions)));
  members.add_text("notTried", not_tried_text(explanation));
  return members.finish();
}

}  // namespace

Value explanation_document(const std::vector<Explanation>& explanations) {
  Array array;
  for (const Explanation& explanation : explanations) array.push_back(explanation_value(explanation));
  return Members()
      .add("apiVersion", Value("loadline/v1alpha1"))
      .add("kind", Value("Explanation"))
      .add("explanations", Value(std::move(array)))
      .finish();
}

}  // namespace loadline::report
