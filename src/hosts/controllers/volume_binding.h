#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Whether another provisioner, outside of this controller, makes the volumes of classes with that name.
using ServedElsewhere = std::function<bool(std::string_view provisioner)>;

/// Binds claims to volumes, and makes volumes for those that nothing fits: at once, or, where the class waits for the
/// first consumer, once the scheduler has named a node (volume.kubernetes.io/selected-node), or reserved a volume. The
/// volumes it makes are virtual, CSI volumes called `pvc-UID` that the node can reach; classes that are served
/// elsewhere, or by no provisioner (kubernetes.io/no-provisioner), are left to wait. Which volume fits is decided in
/// cluster/volume_matching.h. Source: syncClaim in pkg/controller/volume/persistentvolume/pv_controller.go, v1.36.
std::unique_ptr<Controller> make_claim_binding_controller(ServedElsewhere served_elsewhere = {});

/// Keeps the phases of volumes, and deletes provisioned ones whose claim is gone and whose policy says so.
/// Source: syncVolume, ibid.
std::unique_ptr<Controller> make_volume_binding_controller();

}  // namespace loadline::controllers
