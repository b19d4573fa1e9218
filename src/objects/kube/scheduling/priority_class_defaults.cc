#include "objects/kube/defaults.h"

namespace loadline::kube {

void set_defaults(PriorityClass& priority_class) {
  if (!priority_class.preemption_policy) priority_class.preemption_policy = PreemptionPolicy::kPreemptLowerPriority;
}

}  // namespace loadline::kube
