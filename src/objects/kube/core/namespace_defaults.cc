#include "objects/kube/defaults.h"

namespace loadline::kube {

void set_defaults(Namespace& name_space) {
  // Namespace selectors rely on this label.
  if (!name_space.metadata.name.empty()) {
    name_space.metadata.labels.insert_or_assign("kubernetes.io/metadata.name", name_space.metadata.name);
  }
}

}  // namespace loadline::kube
