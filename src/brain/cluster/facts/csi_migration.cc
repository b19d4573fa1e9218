#include "brain/cluster/facts/csi_migration.h"

#include <algorithm>
#include <set>
#include <vector>

#include "brain/cluster/facts/zone_labels.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {
namespace {

constexpr std::string_view kMigratedPluginsAnnotation = "storage.alpha.kubernetes.io/migrated-plugins";

constexpr MigratedPlugin kPlugins[] = {
    {"awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"},
    {"azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com", ""},
    {"cinder", "kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone"},
    {"gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"},
    {"portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com", ""},
    {"azureFile", "kubernetes.io/azure-file", "file.csi.azure.com", "", false},
    {"vsphereVolume", "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", false},
};

const MigratedPlugin* plugin_of_source(std::string_view source) {
  const auto found = std::find_if(std::begin(kPlugins), std::end(kPlugins),
                                  [&](const MigratedPlugin& plugin) { return plugin.source == source; });
  return found == std::end(kPlugins) ? nullptr : &*found;
}

std::string_view label(const kube::PersistentVolume& volume, std::string_view key) {
  const auto found = volume.metadata.labels.find(key);
  return found == volume.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// "aws://us-east-1a/vol-1" and "aws:///vol-1" are "vol-1"; anything without the scheme is an id already.
Result<std::string> ebs_handle(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return std::string(id);
  const std::size_t path = id.find('/', kScheme.size());
  std::string_view name = path == std::string_view::npos ? std::string_view() : id.substr(path);
  while (name.starts_with('/')) name.remove_prefix(1);
  while (name.ends_with('/')) name.remove_suffix(1);
  if (!name.starts_with("vol-") || name.find('/') != std::string_view::npos) {
    return failure("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (" +
                   std::string(id) + ")");
  }
  return std::string(name);
}

/// The driver only knows managed disks.
Result<std::string> azure_handle(const std::string& uri, const std::string& kind) {
  constexpr std::string_view kManaged = "managed";
  const bool managed = std::equal(kind.begin(), kind.end(), kManaged.begin(), kManaged.end(),
                                  [](char letter, char wanted) { return (letter | 0x20) == wanted; });
  if (!managed) return failure("kind(" + kind + ") is not supported in csi migration");
  return uri;
}

/// "us-central1-a" lies in "us-central1".
Result<std::string> gce_region(const std::vector<std::string_view>& zones) {
  std::set<std::string> regions;
  for (const std::string_view zone : zones) {
    if (std::count(zone.begin(), zone.end(), '-') != 2) {
      return failure(
          "failed to get region from zones: zone in unexpected format, expected: "
          "{locale}-{region}-{zone}, got: " +
          std::string(zone));
    }
    regions.insert(std::string(zone.substr(0, zone.rfind('-'))));
  }
  if (regions.size() != 1) {
    std::vector<std::string> names;
    names.reserve(regions.size());
    for (const std::string& region : regions) names.push_back(region + ":{}");
    return failure("failed to get region from zones: multiple or no regions gotten from zones, got: map[" +
                   joined(names, " ") + "]");
  }
  return *regions.begin();
}

std::string gce_handle(std::string_view scope, std::string_view place, std::string_view disk) {
  std::string handle = "projects/UNSPECIFIED/";
  return handle.append(scope).append("/").append(place).append("/disks/").append(disk);
}

Result<std::string> gce_handle(const kube::PersistentVolume& volume) {
  std::string_view zones_label = label(volume, kOldZoneLabel);
  if (zones_label.empty()) zones_label = label(volume, kZoneLabel);
  if (zones_label.empty()) return gce_handle("zones", "UNSPECIFIED", volume.in_tree_volume_id);
  const std::vector<std::string_view> zones = split_zones(zones_label);
  if (zones.size() == 1) return gce_handle("zones", zones.front(), volume.in_tree_volume_id);
  Result<std::string> region = gce_region(zones);
  if (!region) return region;
  return gce_handle("regions", *region, volume.in_tree_volume_id);
}

Result<CsiVolume> as_volume(const MigratedPlugin& plugin, Result<std::string> handle) {
  if (!handle) return tl::unexpected(handle.error());
  return CsiVolume{std::string(plugin.driver), std::move(*handle)};
}

bool mentions(const std::optional<kube::NodeSelector>& affinity, std::string_view key) {
  if (!affinity) return false;
  for (const kube::NodeSelectorTerm& term : affinity->terms) {
    for (const kube::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.key == key) return true;
    }
  }
  return false;
}

/// Whether the volume speaks of its place in the labels that Kubernetes 1.17 replaced. Its affinity decides before its
/// labels.
bool uses_old_labels(const kube::PersistentVolume& volume) {
  if (mentions(volume.node_affinity, kZoneLabel)) return false;
  if (mentions(volume.node_affinity, kOldZoneLabel)) return true;
  if (volume.metadata.labels.contains(kZoneLabel)) return false;
  return volume.metadata.labels.contains(kOldZoneLabel);
}

bool has_values(const kube::NodeSelector& affinity, std::string_view key) {
  for (const kube::NodeSelectorTerm& term : affinity.terms) {
    for (const kube::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.key == key && !requirement.values.empty()) return true;
    }
  }
  return false;
}

void rename_key(kube::NodeSelector& affinity, std::string_view from, std::string_view to) {
  for (kube::NodeSelectorTerm& term : affinity.terms) {
    for (kube::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.key == from) requirement.key = to;
    }
  }
}

void require_zones(std::optional<kube::NodeSelector>& affinity, std::string_view key, std::string_view zones_label) {
  std::set<std::string> zones;
  for (const std::string_view zone : split_zones(zones_label)) {
    if (const std::string_view name = trim(zone); !name.empty()) zones.emplace(name);
  }
  if (zones.empty()) return;
  if (!affinity) affinity.emplace();
  if (affinity->terms.empty()) affinity->terms.emplace_back();
  for (kube::NodeSelectorTerm& term : affinity->terms) {
    term.match_expressions.push_back({std::string(key), kube::NodeSelectorOperator::kIn, {zones.begin(), zones.end()}});
  }
}

}  // namespace

const MigratedPlugin* migrated_plugin_named(std::string_view name) {
  const auto found = std::find_if(std::begin(kPlugins), std::end(kPlugins),
                                  [&](const MigratedPlugin& plugin) { return plugin.name == name; });
  return found == std::end(kPlugins) ? nullptr : &*found;
}

const MigratedPlugin* migrated_plugin_of(const kube::PersistentVolume& volume) {
  return plugin_of_source(volume.in_tree_plugin);
}

const MigratedPlugin* migrated_plugin_of(const kube::Volume& volume) {
  if (volume.aws_elastic_block_store) return plugin_of_source("awsElasticBlockStore");
  if (volume.azure_disk) return plugin_of_source("azureDisk");
  if (volume.cinder) return plugin_of_source("cinder");
  if (volume.gce_persistent_disk) return plugin_of_source("gcePersistentDisk");
  if (volume.portworx_volume) return plugin_of_source("portworxVolume");
  if (volume.azure_file) return plugin_of_source("azureFile");
  if (volume.vsphere_volume) return plugin_of_source("vsphereVolume");
  return nullptr;
}

std::string_view driver_of_provisioner(std::string_view provisioner) {
  const MigratedPlugin* plugin = migrated_plugin_named(provisioner);
  return plugin == nullptr ? provisioner : plugin->driver;
}

bool migrated_on_node(const MigratedPlugin& plugin, const kube::CsiNode* node) {
  if (node == nullptr) return false;
  const auto found = node->metadata.annotations.find(kMigratedPluginsAnnotation);
  if (found == node->metadata.annotations.end()) return false;
  std::string_view rest = found->second;
  while (true) {
    const std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == plugin.name) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 1);
  }
}

Result<CsiVolume> translate(const kube::PersistentVolume& volume) {
  REQUIRES(migrated_plugin_of(volume) != nullptr);
  const MigratedPlugin& plugin = *migrated_plugin_of(volume);
  if (plugin.source == "awsElasticBlockStore") return as_volume(plugin, ebs_handle(volume.in_tree_volume_id));
  if (plugin.source == "gcePersistentDisk") return as_volume(plugin, gce_handle(volume));
  if (plugin.source == "azureDisk") {
    return as_volume(plugin, azure_handle(volume.in_tree_volume_id, volume.in_tree_disk_kind));
  }
  return as_volume(plugin, volume.in_tree_volume_id);
}

Result<CsiVolume> translate(const kube::Volume& volume) {
  REQUIRES(migrated_plugin_of(volume) != nullptr);
  const MigratedPlugin& plugin = *migrated_plugin_of(volume);
  if (volume.aws_elastic_block_store) return as_volume(plugin, ebs_handle(volume.aws_elastic_block_store->id));
  if (volume.azure_disk) return as_volume(plugin, azure_handle(volume.azure_disk->disk_uri, volume.azure_disk->kind));
  if (volume.cinder) return as_volume(plugin, volume.cinder->id);
  if (volume.portworx_volume) return as_volume(plugin, volume.portworx_volume->id);
  return as_volume(plugin, gce_handle("zones", "UNSPECIFIED", volume.gce_persistent_disk->id));
}

std::optional<kube::NodeSelector> translated_affinity(const kube::PersistentVolume& volume) {
  REQUIRES(migrated_plugin_of(volume) != nullptr);
  const MigratedPlugin& plugin = *migrated_plugin_of(volume);
  std::optional<kube::NodeSelector> affinity = volume.node_affinity;
  if (plugin.topology_key.empty()) return affinity;
  const bool old = uses_old_labels(volume);
  const std::string_view zone_label = old ? kOldZoneLabel : kZoneLabel;
  if (affinity && has_values(*affinity, zone_label)) {
    rename_key(*affinity, zone_label, plugin.topology_key);
  } else {
    require_zones(affinity, plugin.topology_key, label(volume, zone_label));
  }
  if (old && affinity && has_values(*affinity, kOldRegionLabel)) rename_key(*affinity, kOldRegionLabel, kRegionLabel);
  return affinity;
}

}  // namespace loadline::cluster
