#pragma once

#include <optional>

#include "foundation/document/value.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/object.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/meta.h"

namespace loadline::controllers {

/// Whether the owner of a claim has gone, and another object of its name has come: then the garbage collector is about
/// to delete the claim, and no pod should use it. `uid` is empty for a pod that is yet to be created.
bool belongs_to_former_pod(const kube::PersistentVolumeClaim& claim, std::string_view pod, std::string_view uid);

/// The claim with the owners that persistentVolumeClaimRetentionPolicy asks for, so that it goes with the set or with
/// the pod that is scaled away; nothing if it has them. Owners of other kinds stay; if one of them, or a former set or
/// pod, controls the claim, the policy is not followed.
/// Source: isClaimOwnerUpToDate in pkg/controller/statefulset, v1.36.
std::optional<document::Value> with_retention(const Observed<kube::PersistentVolumeClaim>& claim,
                                              const kube::StatefulSet& set, const kube::ObjectMeta& pod,
                                              bool is_scaled_away);

}  // namespace loadline::controllers
