#include "brain/placement/plugins/node_volume_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "brain/cluster/facts/csi_migration.h"
#include "brain/placement/cycle.h"
#include "brain/placement/plugins/pod_claims.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::placement {
namespace {

using cluster::Cluster;
using cluster::CsiVolume;
using cluster::MigratedPlugin;
using cluster::NodeId;
using cluster::PodId;

constexpr std::string_view kNodeVolumeLimits = "NodeVolumeLimits";

/// Drivers by "driver/handle", which is unique.
using Attached = std::map<std::string, std::string, std::less<>>;
using Counts = std::map<std::string, std::int64_t, std::less<>>;

/// Why volumes could not be counted.
struct LimitRejection {
  Code code = Code::kError;
  std::string text;
};

/// The pod's own volumes; they depend on the node only in whether it has a CSINode.
struct OwnVolumes {
  Attached volumes;
  std::optional<LimitRejection> rejection;
};

struct Limits : PluginState {
  std::array<std::optional<OwnVolumes>, 2> own;  ///< without and with a CSINode
};

/// Collects the CSI volumes of pods, as seen from one node.
class Collector {
 public:
  Collector(const Cluster& cluster, const kube::CsiNode* csi_node)
      : cluster_(cluster), catalog_(cluster.volumes()), csi_node_(csi_node) {}

  /// The first thing wrong, or nothing. Claims of pods that are placed already may be missing.
  std::optional<LimitRejection> add(PodId pod, bool placed, Attached& volumes) const {
    const std::string_view name_space = cluster_.symbols().text(cluster_.pod(pod).name_space);
    const std::string_view name = cluster_.pod_name(pod);
    for (const kube::Volume& volume : cluster_.shape_of(pod).spec->volumes) {
      const std::optional<ClaimUse> use = claim_of(volume, name);
      if (!use) {
        if (std::optional<LimitRejection> rejection = add_inline(volume, volumes)) return rejection;
        continue;
      }
      if (use->name.empty()) return LimitRejection{Code::kError, "PersistentVolumeClaim had no name"};
      const kube::PersistentVolumeClaim* claim = catalog_.claim(name_space, use->name);
      if (claim == nullptr) {
        if (placed) continue;
        return LimitRejection{Code::kUnresolvable, fmt::format("looking up PVC {}/{}: {}", name_space, use->name,
                                                               not_found("persistentvolumeclaim", use->name))};
      }
      if (use->ephemeral) {
        if (const auto error = check_owner(*claim, name_space, name))
          return LimitRejection{Code::kError, error->message};
      }
      if (const std::optional<CsiVolume> found = volume_of(*claim)) add(*found, volumes);
    }
    return std::nullopt;
  }

 private:
  static void add(const CsiVolume& volume, Attached& volumes) {
    if (volume.driver.empty() || volume.handle.empty()) return;
    volumes.insert_or_assign(volume.driver + "/" + volume.handle, volume.driver);
  }

  [[nodiscard]] bool counts(const MigratedPlugin& plugin) const { return csi_node_ != nullptr && plugin.scheduled; }

  std::optional<LimitRejection> add_inline(const kube::Volume& volume, Attached& volumes) const {
    const MigratedPlugin* plugin = cluster::migrated_plugin_of(volume);
    if (plugin == nullptr || !counts(*plugin)) return std::nullopt;
    const Result<CsiVolume> translated = cluster::translate(volume);
    if (!translated) {
      return LimitRejection{Code::kError, fmt::format("converting volume({}) from inline to csi: {}", volume.name,
                                                      translated.error().message)};
    }
    add(*translated, volumes);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<CsiVolume> volume_of(const kube::PersistentVolumeClaim& claim) const {
    const kube::PersistentVolume* volume =
        claim.spec.volume_name.empty() ? nullptr : catalog_.volume(claim.spec.volume_name);
    if (volume == nullptr) return volume_to_be(claim);
    if (!volume->csi_driver.empty()) return CsiVolume{volume->csi_driver, volume->csi_volume_handle};
    const MigratedPlugin* plugin = cluster::migrated_plugin_of(*volume);
    if (plugin == nullptr || !counts(*plugin)) return std::nullopt;
    Result<CsiVolume> translated = cluster::translate(*volume);
    if (!translated) return std::nullopt;
    return std::move(*translated);
  }

  /// Stands for the volume that the class's provisioner will make.
  [[nodiscard]] std::optional<CsiVolume> volume_to_be(const kube::PersistentVolumeClaim& claim) const {
    const kube::StorageClass* found = catalog_.storage_class(kube::class_of(claim));
    if (found == nullptr) return std::nullopt;
    const MigratedPlugin* plugin = cluster::migrated_plugin_named(found->provisioner);
    if (plugin != nullptr && !counts(*plugin)) return std::nullopt;
    return CsiVolume{std::string(plugin == nullptr ? found->provisioner : plugin->driver),
                     fmt::format("unprovisioned-{}/{}", claim.metadata.namespace_, claim.metadata.name)};
  }

  const Cluster& cluster_;
  const cluster::VolumeCatalog& catalog_;
  const kube::CsiNode* csi_node_;
};

Counts limits_of(const kube::CsiNode* csi_node) {
  Counts limits;
  if (csi_node == nullptr) return limits;
  for (const kube::CsiNodeDriver& driver : csi_node->drivers) {
    if (driver.allocatable_count) limits[driver.name] = *driver.allocatable_count;
  }
  return limits;
}

/// What is attached to the node although no pod there may use it.
Attached attached_to(const cluster::VolumeCatalog& catalog, std::string_view node) {
  Attached volumes;
  for (const kube::VolumeAttachment& attachment : catalog.attachments_to(node)) {
    if (attachment.attacher.empty() || attachment.persistent_volume_name.empty()) continue;
    const kube::PersistentVolume* volume = catalog.volume(attachment.persistent_volume_name);
    if (volume == nullptr || volume->csi_driver.empty()) continue;
    volumes.insert_or_assign(attachment.attacher + "/" + volume->csi_volume_handle, attachment.attacher);
  }
  return volumes;
}

bool may_attach(const kube::Volume& volume) {
  return volume.persistent_volume_claim || volume.ephemeral_claim || cluster::migrated_plugin_of(volume) != nullptr;
}

class NodeVolumeLimits final : public Plugin {
 public:
  std::string_view name() const override { return kNodeVolumeLimits; }
  Points points() const override { return Point::kPreFilter | Point::kFilter; }

  Locality sign(Cycle& cycle, Signature&) const override {
    return uses_storage(*cycle.shape().spec) ? Locality::kCluster : Locality::kNode;
  }

  PreFilterResult pre_filter(Cycle& cycle) const override {
    const std::vector<kube::Volume>& volumes = cycle.shape().spec->volumes;
    return std::any_of(volumes.begin(), volumes.end(), may_attach) ? PreFilterResult::go_on()
                                                                   : PreFilterResult::skipped();
  }

  RejectionId filter(Cycle& cycle, NodeId node) const override {
    const Cluster& cluster = cycle.cluster();
    const kube::CsiNode* csi_node = cluster.volumes().csi_node(cluster.node_name(node));
    const Collector collector(cluster, csi_node);
    const OwnVolumes& own = own_volumes(cycle, collector, csi_node != nullptr);
    if (own.rejection) return refuse(cycle, *own.rejection);
    if (own.volumes.empty()) return kPassed;
    const Counts limits = limits_of(csi_node);
    if (limits.empty()) return kPassed;

    Attached used;
    for (const PodId pod : cluster.pods_on(node)) {
      if (const auto rejection = collector.add(pod, true, used)) return refuse(cycle, {Code::kError, rejection->text});
    }
    Counts wanted;
    for (const auto& [volume, driver] : own.volumes) {
      if (!used.contains(volume)) ++wanted[driver];
    }
    used.merge(attached_to(cluster.volumes(), cluster.node_name(node)));
    Counts current;
    for (const auto& [volume, driver] : used) ++current[driver];
    for (const auto& [driver, count] : wanted) {
      const auto limit = limits.find(driver);
      if (limit != limits.end() && current[driver] + count > limit->second) {
        return cycle.reject(*this, Code::kUnschedulable, ReasonKind::kVolumeLimit);
      }
    }
    return kPassed;
  }

 private:
  const OwnVolumes& own_volumes(Cycle& cycle, const Collector& collector, bool has_csi_node) const {
    std::optional<OwnVolumes>& own = cycle.state<Limits>(this).own[has_csi_node ? 1 : 0];
    if (!own) {
      own.emplace();
      own->rejection = collector.add(cycle.pod(), false, own->volumes);
    }
    return *own;
  }

  static RejectionId refuse(Cycle& cycle, const LimitRejection& rejection) {
    const bool is_error = rejection.code == Code::kError;
    return cycle.reject(
        {kNodeVolumeLimits,
         rejection.code,
         {{ReasonKind::kOther, is_error ? filter_error(kNodeVolumeLimits, rejection.text) : rejection.text}}});
  }
};

}  // namespace

std::unique_ptr<Plugin> make_node_volume_limits(const kube::PluginArgs&) {
  return std::make_unique<NodeVolumeLimits>();
}

}  // namespace loadline::placement
