#include "objects/kube/grove/pod_clique_set.h"

namespace loadline::kube {

void set_defaults(PodCliqueSet& set) {
  for (CliqueTemplate& clique : set.cliques) {
    if (clique.spec.replicas == 0) clique.spec.replicas = 1;
    if (!clique.spec.min_available) clique.spec.min_available = clique.spec.replicas;
  }
  for (CliqueScalingGroup& group : set.scaling_groups) {
    if (!group.replicas) group.replicas = 1;
    if (!group.min_available) group.min_available = 1;
  }
}

}  // namespace loadline::kube
