#include "hosts/advice/unclassed_claims.h"

#include "brain/placement/plugins/pod_claims.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::advice {

std::vector<std::string> claims_without_class(const cluster::VolumeCatalog& volumes, const kube::Pod& pod) {
  std::vector<std::string> names;
  if (volumes.default_class() != nullptr) return names;
  for (const kube::Volume& volume : pod.spec->volumes) {
    const std::optional<placement::ClaimUse> use = placement::claim_of(volume, pod.metadata.name);
    if (!use) continue;
    const kube::PersistentVolumeClaim* claim = volumes.claim(pod.metadata.namespace_, use->name);
    if (claim == nullptr || !claim->spec.volume_name.empty() || kube::names_class(*claim)) continue;
    names.push_back(use->name);
  }
  return names;
}

}  // namespace loadline::advice
