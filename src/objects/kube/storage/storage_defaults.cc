#include "objects/kube/defaults.h"

namespace loadline::kube {

void set_defaults(CsiDriver& driver) {
  if (!driver.attach_required) driver.attach_required = true;
}

}  // namespace loadline::kube
