#include "brain/placement/plugins/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/kube/core/ephemeral_claims.h"

namespace loadline::placement {

std::optional<ClaimUse> claim_of(const kube::Volume& volume, std::string_view pod_name) {
  if (volume.persistent_volume_claim) return ClaimUse{volume.persistent_volume_claim->claim_name, false};
  if (volume.ephemeral_claim) return ClaimUse{kube::ephemeral_claim_name(pod_name, volume), true};
  return std::nullopt;
}

bool uses_storage(const kube::PodSpec& spec) {
  return std::any_of(spec.volumes.begin(), spec.volumes.end(), [](const kube::Volume& volume) {
    return volume.persistent_volume_claim || volume.ephemeral_claim || volume.gce_persistent_disk ||
           volume.aws_elastic_block_store || volume.azure_disk || volume.cinder || volume.portworx_volume ||
           volume.iscsi || volume.rbd || volume.csi;
  });
}

std::optional<Error> check_owner(const kube::PersistentVolumeClaim& claim, std::string_view name_space,
                                 std::string_view pod_name) {
  const kube::OwnerReference* owner = claim.metadata.controller();
  if (owner != nullptr && owner->kind == "Pod" && owner->name == pod_name) return std::nullopt;
  return Error{fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)", claim.metadata.namespace_,
                           claim.metadata.name, name_space, pod_name)};
}

std::string filter_error(std::string_view plugin, std::string_view error) {
  return fmt::format("running \"{}\" filter plugin: {}", plugin, error);
}

std::string not_found(std::string_view kind, std::string_view name) {
  return fmt::format("{} \"{}\" not found", kind, name);
}

}  // namespace loadline::placement
