#include "objects/kube/defaults.h"
#include "objects/kube/storage/storage.h"

namespace loadline::kube {

void set_defaults(CsiDriver& driver) {
  if (!driver.attach_required) driver.attach_required = true;
}

}  // namespace loadline::kube
