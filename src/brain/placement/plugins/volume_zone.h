#pragma once

#include <memory>

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// VolumeZone: a pod goes where its bound volumes are, as far as the volumes' zone and region labels tell.
///
/// Assumes: a label that lists several zones joins them with "__"; a label with an empty part says nothing; a node
/// without any zone or region label is in a cluster of one zone and passes.
/// Refuses: a node whose zone, or region, is none of a volume's. A volume's deprecated label (failure-domain.beta…) is
/// looked for on the node under its old name first, then under its new one. Claims that wait for the pod are skipped.
/// Example: a volume labelled zone=a__b: nodes of zones a and b pass, nodes of zone c do not, nor do nodes with a
/// region label only. Source: pkg/scheduler/framework/plugins/volumezone, v1.36.
std::unique_ptr<Plugin> make_volume_zone(const kube::PluginArgs& args);

}  // namespace loadline::placement
