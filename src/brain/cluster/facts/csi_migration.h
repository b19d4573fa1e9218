#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/storage/storage.h"

namespace loadline::cluster {

/// An in-tree volume plugin whose volumes a CSI driver took over.
struct MigratedPlugin {
  std::string_view source;        ///< field of the volume: "awsElasticBlockStore"
  std::string_view name;          ///< "kubernetes.io/aws-ebs", also the provisioner's name
  std::string_view driver;        ///< "ebs.csi.aws.com"
  std::string_view topology_key;  ///< what the driver calls a zone; empty: affinities stay as they are
  bool scheduled = true;          ///< false: the scheduler neither counts nor translates its volumes
};

/// A volume as its CSI driver sees it.
struct CsiVolume {
  std::string driver;
  std::string handle;
};

/// Null if no plugin of that name, or of that volume source, was migrated.
const MigratedPlugin* migrated_plugin_named(std::string_view name);
const MigratedPlugin* migrated_plugin_of(const kube::PersistentVolume& volume);
const MigratedPlugin* migrated_plugin_of(const kube::Volume& volume);

/// The CSI driver that provisions for a class: the provisioner itself unless it was migrated.
std::string_view driver_of_provisioner(std::string_view provisioner);

/// Whether the node says, in the annotation of its CSINode, that it mounts the plugin's volumes through CSI.
bool migrated_on_node(const MigratedPlugin& plugin, const kube::CsiNode* node);

/// Source: k8s.io/csi-translation-lib, TranslateInTreePVToCSI and TranslateInTreeInlineVolumeToCSI.
/// REQUIRES: the volume is of a migrated plugin that the scheduler counts.
Result<CsiVolume> translate(const kube::PersistentVolume& volume);
Result<CsiVolume> translate(const kube::Volume& volume);

/// The volume's node affinity in the driver's words: zones are looked for under the driver's topology key, and a volume
/// that only has zone labels gets an affinity from them. REQUIRES: the volume is of a migrated plugin.
std::optional<kube::NodeSelector> translated_affinity(const kube::PersistentVolume& volume);

}  // namespace loadline::cluster
