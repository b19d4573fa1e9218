#include "brain/admission/group_priority.h"

#include <utility>

namespace loadline::admission {

void resolve_priority(const PriorityClasses& classes, cluster::GroupRules& rules) {
  if (rules.priority || rules.priority_class.empty()) return;
  rules.priority = classes.value_of(rules.priority_class);
}

cluster::GroupDescription with_priority(const PriorityClasses& classes, cluster::GroupDescription description) {
  resolve_priority(classes, description.rules);
  return description;
}

}  // namespace loadline::admission
