#include "hosts/watching/claim_use.h"

#include <algorithm>

#include "objects/kube/core/ephemeral_claims.h"

namespace loadline::watching {

std::string claim_of(const kube::Pod& pod, const kube::Volume& volume) {
  if (volume.persistent_volume_claim) return volume.persistent_volume_claim->claim_name;
  return volume.ephemeral_claim ? kube::ephemeral_claim_name(pod.metadata.name, volume) : std::string();
}

bool uses_claim(const kube::Pod& pod, std::string_view claim) {
  return std::any_of(pod.spec->volumes.begin(), pod.spec->volumes.end(),
                     [&](const kube::Volume& volume) { return claim_of(pod, volume) == claim; });
}

}  // namespace loadline::watching
