#include "objects/kube/defaults.h"
#include "objects/kube/node/runtime_class.h"

namespace loadline::kube {

void set_defaults(RuntimeClass& runtime_class) {
  if (!runtime_class.overhead) return;
  for (auto& [name, amount] : runtime_class.overhead->pod_fixed) amount = amount.rounded_to_milli();
}

}  // namespace loadline::kube
