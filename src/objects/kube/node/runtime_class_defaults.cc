#include "objects/kube/core/pod_defaults.h"
#include "objects/kube/defaults.h"
#include "objects/kube/node/runtime_class.h"

namespace loadline::kube {

void set_defaults(RuntimeClass& runtime_class) {
  if (runtime_class.overhead) round_to_milli(runtime_class.overhead->pod_fixed);
}

}  // namespace loadline::kube
