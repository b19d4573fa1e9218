#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/value.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// What became of a pod group, for people. The headline follows its name: "waits: 5 must start together, 4 fit; the
/// 5th does not". The reason, which may be empty, is why not. So may be what the search for other places came to.
struct GroupText {
  std::string headline;
  std::string reason;
  std::string search;

  [[nodiscard]] std::string joined() const {
    const std::string text = reason.empty() ? headline : headline + ": " + reason;
    return search.empty() ? text : text + (reason.empty() ? ". " : " ") + search;
  }
};

GroupText group_text(const simulator::PlannedGroup& group);

/// "Started", "DoesNotFit", …: for machine formats.
std::string_view group_outcome_word(simulator::GroupOutcome outcome);

/// {namespace, name, outcome, …, text}: see plan_document.h.
document::Value group_value(const simulator::PlannedGroup& group);

/// The groups that keep their pods waiting. Refers to the plan.
class WaitingGroups {
 public:
  explicit WaitingGroups(const simulator::Plan& plan);

  /// The group without which the pod, which waits for a node, may not start; null: there is none.
  [[nodiscard]] const simulator::PlannedGroup* of(const simulator::PlannedPod& pod) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, const simulator::PlannedGroup*> groups_;
};

/// "ml/train".
std::string group_key(const simulator::PlannedGroup& group);

}  // namespace loadline::report
