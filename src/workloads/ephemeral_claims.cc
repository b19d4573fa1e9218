#include "workloads/ephemeral_claims.h"

namespace loadline::workloads {

std::vector<kube::PersistentVolumeClaim> ephemeral_claims(const kube::Pod& pod) {
  std::vector<kube::PersistentVolumeClaim> claims;
  for (const kube::Volume& volume : pod.spec->volumes) {
    if (!volume.ephemeral_claim) continue;
    kube::PersistentVolumeClaim claim;
    claim.metadata.name = pod.metadata.name + "-" + volume.name;
    claim.metadata.namespace_ = pod.metadata.namespace_;
    claim.metadata.labels = volume.ephemeral_claim->metadata.labels;
    claim.metadata.annotations = volume.ephemeral_claim->metadata.annotations;
    claim.metadata.owner_references.push_back({"v1", "Pod", pod.metadata.name, pod.metadata.uid, true});
    claim.metadata.source = pod.metadata.source;
    claim.spec = volume.ephemeral_claim->spec;
    claim.phase = "Pending";
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace loadline::workloads
