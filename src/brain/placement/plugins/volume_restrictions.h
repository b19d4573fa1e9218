#pragma once

#include <memory>

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// VolumeRestrictions: disks and claims that only one pod may have.
///
/// Assumes: that a volume named in the pod itself, rather than by a claim, is the same disk as that of another pod if
/// it has the same GCE disk name, EBS volume id, iSCSI iqn, or Ceph monitor, pool and image. Refuses: a node where
/// another pod mounts such a disk, unless both mount it read only (EBS: even then); and every node while another pod
/// uses a ReadWriteOncePod claim of the pod. A claim that does not exist refuses the pod as a whole. Example: pod `a`
/// on n1 writes to GCE disk `d`; pod `b`, which reads `d`, may go anywhere but to n1. As upstream, tentatively moved
/// pods are told apart by the name of their claim alone, not its namespace. Source:
/// pkg/scheduler/framework/plugins/volumerestrictions, v1.36.
std::unique_ptr<Plugin> make_volume_restrictions(const kube::PluginArgs& args);

}  // namespace loadline::placement
