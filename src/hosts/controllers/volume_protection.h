#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Keeps claims that are used by a pod on a node from vanishing: by the finalizer kubernetes.io/pvc-protection.
/// Source: pkg/controller/volume/pvcprotection, v1.36.
std::unique_ptr<Controller> make_claim_protection_controller();

/// Likewise volumes that are bound: by kubernetes.io/pv-protection. Source: pkg/controller/volume/pvprotection, v1.36.
std::unique_ptr<Controller> make_volume_protection_controller();

/// Likewise VolumeAttributesClasses that a claim or a volume names: by kubernetes.io/vac-protection. It goes by the
/// caches alone, as upstream: a claim that names the class in the same moment may come too late.
/// Source: pkg/controller/volume/vacprotection, v1.36.
std::unique_ptr<Controller> make_attributes_class_protection_controller();

}  // namespace loadline::controllers
