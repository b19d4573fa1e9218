#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/simulator/group_index.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// What became of a pod group, for people. The headline follows its name: "waits: 5 must start together, 4 fit; the
/// 5th does not". The reason, which may be empty, is why not. So may be what the search for other places came to.
struct GroupText {
  std::string headline;
  std::string reason;
  /// When it will start: "starts at 2026-01-01T14:20:00Z (in 2h10m) on n1, n2, when Job ml/a has ended". May be empty.
  std::string start = {};
  std::string search = {};  ///< what a search for other places came to; may be empty

  [[nodiscard]] std::string joined() const {
    const std::string text = reason.empty() ? headline : headline + ": " + reason;
    return search.empty() ? text : text + (reason.empty() ? ". " : " ") + search;
  }
};

GroupText group_text(const simulator::PlannedGroup& group);

/// A line for each domain that has members of the group: "b1/r7: 8 pods on 2 of 32 nodes". Empty: it asks for no
/// topology, or has no pod on a node.
std::vector<std::string> group_map(const simulator::PlannedGroup& group);

/// "Started", "DoesNotFit", …: for machine formats.
std::string_view group_outcome_word(simulator::GroupOutcome outcome);

/// {namespace, name, outcome, …, text}: see plan_document.h.
document::Value group_value(const simulator::PlannedGroup& group);

/// The groups of a plan by their pods. Refers to the plan.
class GroupsOfPods {
 public:
  explicit GroupsOfPods(const simulator::Plan& plan) : groups_(plan.groups), index_(plan.groups) {}

  /// The group that the pod belongs to; null: it is in none.
  [[nodiscard]] const simulator::PlannedGroup* of(const simulator::PlannedPod& pod) const;
  /// The group without which the pod, which waits for a node, may not start; null: there is none.
  [[nodiscard]] const simulator::PlannedGroup* waited_for(const simulator::PlannedPod& pod) const;

 private:
  const std::vector<simulator::PlannedGroup>& groups_;
  simulator::GroupIndex index_;
};

/// "ml/train".
std::string group_key(const simulator::PlannedGroup& group);

}  // namespace loadline::report
