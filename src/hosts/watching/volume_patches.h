#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/watching/action.h"
#include "objects/kube/core/volume.h"

namespace loadline::watching {

using VolumeObject = Observed<kube::PersistentVolume>;
using ClaimObject = Observed<kube::PersistentVolumeClaim>;

inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";

/// An ObjectReference to a claim, as volumes hold it.
document::Value claim_reference(const ClaimObject& claim);

/// Makes the volume the claim's; nothing if it is already. Fails if another writer has changed the volume meanwhile.
/// Source: GetBindVolumeToClaim, k8s.io/component-helpers/storage/volume, v1.36.
std::optional<Action> reserve_volume(const ClaimObject& claim, const VolumeObject& volume);

/// What remains to be done until claim and volume are each other's, in this order: the volume gets its claimRef and its
/// phase, the claim its volume and its phase. Nothing, if all is done. A volume that another writer has changed
/// meanwhile is not bound.
std::vector<std::vector<Action>> binding_steps(const ClaimObject& claim, const VolumeObject& volume);

Action set_claim_phase(const ClaimObject& claim, std::string_view phase);
Action set_volume_phase(const VolumeObject& volume, std::string_view phase, std::string_view message = {});
/// Null as a value takes the annotation away.
Action annotate_claim(const ClaimObject& claim, document::Object annotations);

}  // namespace loadline::watching
