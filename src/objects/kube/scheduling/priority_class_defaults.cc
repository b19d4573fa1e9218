#include "objects/kube/core/pod.h"
#include "objects/kube/defaults.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::kube {

void set_defaults(PriorityClass& priority_class) {
  if (!priority_class.preemption_policy) priority_class.preemption_policy = PreemptionPolicy::kPreemptLowerPriority;
}

}  // namespace loadline::kube
