#include "hosts/controllers/job_conditions.h"

#include <algorithm>
#include <utility>

#include "objects/kube/condition.h"

namespace loadline::controllers {

const kube::JobCondition* true_condition(const kube::JobStatus& status, std::string_view type) {
  const kube::JobCondition* condition = kube::find_condition(status.conditions, type);
  return condition != nullptr && condition->status == "True" ? condition : nullptr;
}

kube::JobCondition make_condition(std::string_view type, std::string_view status, std::string_view reason,
                                  std::string_view message, Instant now) {
  return {std::string(type), std::string(status), now, now, std::string(reason), std::string(message)};
}

bool set_condition(kube::JobStatus& status, kube::JobCondition condition) {
  const auto found = std::find_if(status.conditions.begin(), status.conditions.end(),
                                  [&](const kube::JobCondition& existing) { return existing.type == condition.type; });
  if (found == status.conditions.end()) {
    if (condition.status == "False") return false;
    status.conditions.push_back(std::move(condition));
    return true;
  }
  if (found->status == condition.status && found->reason == condition.reason && found->message == condition.message) {
    return false;
  }
  *found = std::move(condition);
  return true;
}

}  // namespace loadline::controllers
