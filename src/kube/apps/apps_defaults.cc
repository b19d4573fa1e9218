#include "kube/core/pod_defaults.h"
#include "kube/defaults.h"

namespace loadline::kube {

void set_defaults(Deployment& deployment) {
  if (!deployment.recreate) {
    if (!deployment.max_unavailable) deployment.max_unavailable = IntOrString{std::nullopt, "25%"};
    if (!deployment.max_surge) deployment.max_surge = IntOrString{std::nullopt, "25%"};
  }
  set_defaults(deployment.template_);
}

void set_defaults(ReplicaSet& replica_set) { set_defaults(replica_set.template_); }

void set_defaults(StatefulSet& stateful_set) {
  set_defaults(stateful_set.template_);
  for (PersistentVolumeClaimTemplate& claim : stateful_set.volume_claim_templates) set_defaults(claim.spec);
}

void set_defaults(DaemonSet& daemon_set) { set_defaults(daemon_set.template_); }

}  // namespace loadline::kube
