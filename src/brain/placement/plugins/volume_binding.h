#pragma once

#include <memory>

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// VolumeBinding: a pod goes where its claims' volumes are, or where volumes for them can be found or made.
///
/// Assumes: claims that bind at once have been bound by now (VolumeCatalog::bind_immediate_claims); the scheduler finds
/// volumes only for claims whose class waits for the first consumer.
/// Refuses the pod as a whole: a claim is missing, lost, being deleted, not the pod's own (ephemeral), or unbound
/// although it should not wait. Refuses a node: a bound volume is out of reach or gone; for an unbound claim no volume
/// is in reach (find_volume_in_reach) and none can be made there: the class has no provisioner, does not allow the
/// node, or its driver reports too little storage. The smallest claim chooses its volume first. On reservation the
/// volumes found are bound, and the others are made, at once; or assumed to be, in a cluster where others bind
/// (VolumeCatalog::leave_binding_to_others). Does not score: that is for the gate StorageCapacityScoring, off by
/// default. Example: a claim of 5Gi of class `local` (no provisioner), volumes l1 (10Gi on n1) and l2 (1Gi on n2): n1
/// passes; n2 "didn't find available persistent volumes to bind"; a pod placed on n1 takes l1. Source:
/// pkg/scheduler/framework/plugins/volumebinding, v1.36.
std::unique_ptr<Plugin> make_volume_binding(const kube::PluginArgs& args);

}  // namespace loadline::placement
