#pragma once

#include <set>
#include <string>

#include "brain/capacity/gpu_sharing.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/object.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/service.h"
#include "objects/kube/nvidia/device_plugin.h"

namespace loadline::kubelet {

using capacity::Devices;

/// A pod of NVIDIA's device plugin, by its image and a volume of the host's.
[[nodiscard]] bool is_device_plugin(const kube::Pod& pod);

/// What a node's GPUs come to, and why.
struct AdvertisedDevices {
  Devices devices;
  std::string assumption;  ///< a sentence about what was assumed; empty: nothing was
};

/// The device plugins of a cluster, and what ConfigMaps say to them of sharing GPUs.
///
/// A ConfigMap is in force on a node if the plugin that runs there mounts it; or if a ClusterPolicy of gpu-operator
/// names it, for a plugin that mounts none, and for nodes where none runs; or, which is an assumption, if the cluster
/// has no device plugin and no ClusterPolicy at all: then the first by namespace and name. What is said about nodes
/// where no such plugin runs counts in the namespaces of capacity::may_share_gpus only.
class DevicePlugins {
 public:
  // True if what nodes advertise may be another now.
  bool on_change(const watching::Change<kube::ConfigMap>& change);
  bool on_change(const watching::Change<kube::DaemonSet>& change);
  bool on_change(const watching::Change<kube::Pod>& change);

  /// Whether the cluster has a device plugin, in one of the namespaces where it usually is.
  [[nodiscard]] bool has_any() const { return !daemon_sets_.empty() || !pods_.empty(); }

  /// What the node advertises. One that was declared with `loadline.dev/gpus: "8"` has that many, and advertises them
  /// as long as a pod of the device plugin runs there; one that was declared with a capacity of nvidia.com/gpu
  /// advertises it without. Replicas of the configuration in force multiply what is advertised, under another name if
  /// it says so, and labels follow as GPU feature discovery sets them. Nothing: the node has no GPUs.
  [[nodiscard]] AdvertisedDevices devices_of(const watching::Observed<kube::Node>& node,
                                             const watching::Caches& caches) const;

 private:
  /// The file that configures the plugin of a node; null: none does.
  struct Configuration {
    const std::string* file = nullptr;
    std::string assumption;
  };
  [[nodiscard]] Configuration in_force(const watching::Observed<kube::Node>& node,
                                       const watching::Observed<kube::Pod>* plugin,
                                       const watching::Caches& caches) const;

  std::set<watching::ObjectKey> configurations_;  // ConfigMaps that share GPUs
  std::set<watching::ObjectKey> daemon_sets_;     // of device plugins, where these usually are
  std::set<watching::ObjectKey> pods_;            // likewise
};

}  // namespace loadline::kubelet
