#include "objects/kube/core/ephemeral_claims.h"

#include <utility>

namespace loadline::kube {

std::string ephemeral_claim_name(std::string_view pod, const Volume& volume) {
  return std::string(pod) + "-" + volume.name;
}

std::vector<PersistentVolumeClaim> ephemeral_claims(const Pod& pod) {
  std::vector<PersistentVolumeClaim> claims;
  for (const Volume& volume : pod.spec->volumes) {
    if (!volume.ephemeral_claim) continue;
    PersistentVolumeClaim& claim = claims.emplace_back();
    claim.metadata.name = ephemeral_claim_name(pod.metadata.name, volume);
    claim.metadata.namespace_ = pod.metadata.namespace_;
    claim.metadata.labels = volume.ephemeral_claim->metadata.labels;
    claim.metadata.annotations = volume.ephemeral_claim->metadata.annotations;
    claim.metadata.owner_references.push_back({"v1", "Pod", pod.metadata.name, pod.metadata.uid, true});
    claim.metadata.source = pod.metadata.source;
    claim.spec = volume.ephemeral_claim->spec;
    claim.phase = "Pending";
  }
  return claims;
}

}  // namespace loadline::kube
