#include "brain/decision/why.h"

namespace loadline::decision {

bool Why::empty() const {
  const gang::Refusal* refusal = std::get_if<gang::Refusal>(&cause);
  const bool has_refusal = refusal != nullptr && !std::holds_alternative<std::monostate>(*refusal);
  const bool has_cause = has_refusal || (refusal == nullptr && !std::holds_alternative<std::monostate>(cause));
  return !has_cause && fit_error == nullptr && no_victims.empty();
}

Unit Why::held_by() const {
  const HeldForPlan* held = std::get_if<HeldForPlan>(&cause);
  return held == nullptr ? Unit() : held->planned;
}

bool operator==(const Why& a, const Why& b) {
  if (a.cause != b.cause || a.no_victims != b.no_victims || a.later_pods != b.later_pods) return false;
  if (a.fit_error == b.fit_error) return true;
  return a.fit_error != nullptr && b.fit_error != nullptr && *a.fit_error == *b.fit_error;
}

}  // namespace loadline::decision
