#include "brain/placement/plugins/volume_restrictions.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "brain/placement/cycle.h"
#include "brain/placement/plugins/pod_claims.h"

namespace loadline::placement {
namespace {

using cluster::Cluster;
using cluster::NodeId;
using cluster::PodId;

constexpr std::string_view kVolumeRestrictions = "VolumeRestrictions";

using ClaimNames = std::set<std::string, std::less<>>;

struct Restrictions : PluginState {
  std::vector<const kube::Volume*> disks;                ///< the pod's volumes that are disks of their own
  ClaimNames exclusive;                                  ///< the pod's ReadWriteOncePod claims
  std::int64_t users = 0;                                ///< of those, by pods on nodes
  std::unordered_map<cluster::ShapeId, bool> conflicts;  ///< whether a pod of the shape mounts one of the disks
};

bool is_disk(const kube::Volume& volume) {
  return volume.gce_persistent_disk || volume.aws_elastic_block_store || volume.rbd || volume.iscsi;
}

bool share_a_monitor(const kube::RbdVolumeSource& a, const kube::RbdVolumeSource& b) {
  return std::any_of(a.monitors.begin(), a.monitors.end(), [&](const std::string& monitor) {
    return std::find(b.monitors.begin(), b.monitors.end(), monitor) != b.monitors.end();
  });
}

bool same_disk_written(const kube::Volume& a, const kube::Volume& b) {
  if (a.gce_persistent_disk && b.gce_persistent_disk && a.gce_persistent_disk->id == b.gce_persistent_disk->id &&
      !(a.gce_persistent_disk->read_only && b.gce_persistent_disk->read_only)) {
    return true;
  }
  if (a.aws_elastic_block_store && b.aws_elastic_block_store &&
      a.aws_elastic_block_store->id == b.aws_elastic_block_store->id) {
    return true;
  }
  if (a.iscsi && b.iscsi && a.iscsi->iqn == b.iscsi->iqn && !(a.iscsi->read_only && b.iscsi->read_only)) return true;
  return a.rbd && b.rbd && share_a_monitor(*a.rbd, *b.rbd) && a.rbd->pool == b.rbd->pool &&
         a.rbd->image == b.rbd->image && !(a.rbd->read_only && b.rbd->read_only);
}

bool conflict(const std::vector<const kube::Volume*>& disks, const kube::PodSpec& spec) {
  for (const kube::Volume* disk : disks) {
    for (const kube::Volume& volume : spec.volumes) {
      if (same_disk_written(*disk, volume)) return true;
    }
  }
  return false;
}

bool names_claim(const kube::Volume& volume, const ClaimNames& names) {
  return volume.persistent_volume_claim && names.contains(volume.persistent_volume_claim->claim_name);
}

std::int64_t uses(const kube::PodSpec& spec, const ClaimNames& names) {
  return std::count_if(spec.volumes.begin(), spec.volumes.end(),
                       [&](const kube::Volume& volume) { return names_claim(volume, names); });
}

/// How many of the namespace's claims are in use by pods on nodes. O(shapes + pods), and only for exclusive claims.
std::int64_t in_use(const Cluster& cluster, Symbol name_space, const ClaimNames& names) {
  if (names.empty()) return 0;
  std::vector<bool> interesting(cluster.shape_slots());
  for (std::size_t i = 0; i < interesting.size(); ++i) {
    if (!cluster.is_shape(cluster::ShapeId{i})) continue;
    const cluster::PodShape& shape = cluster.shape(cluster::ShapeId{i});
    interesting[i] = shape.name_space == name_space && shape.spec != nullptr && uses(*shape.spec, names) > 0;
  }
  ClaimNames used;
  for (std::size_t i = 0; i < cluster.pod_slots(); ++i) {
    const cluster::PodRecord& pod = cluster.pod(PodId{i});
    if (!pod.node.valid() || !interesting[pod.shape.index()]) continue;
    for (const kube::Volume& volume : cluster.shape(pod.shape).spec->volumes) {
      if (names_claim(volume, names)) used.insert(volume.persistent_volume_claim->claim_name);
    }
  }
  return static_cast<std::int64_t>(used.size());
}

class VolumeRestrictions final : public Plugin {
 public:
  std::string_view name() const override { return kVolumeRestrictions; }
  Points points() const override { return Point::kPreFilter | Point::kFilter; }

  std::string without_pre_filter() const override {
    return R"(cannot read "PreFilterVolumeRestrictions" from cycleState)";
  }

  Locality sign(Cycle& cycle, Signature&) const override {
    return uses_storage(*cycle.shape().spec) ? Locality::kCluster : Locality::kNode;
  }

  PreFilterResult pre_filter(Cycle& cycle) const override {
    Restrictions& state = cycle.state<Restrictions>(this);
    const Cluster& cluster = cycle.cluster();
    const std::string_view name_space = cluster.symbols().text(cycle.shape().name_space);
    for (const kube::Volume& volume : cycle.shape().spec->volumes) {
      if (is_disk(volume)) state.disks.push_back(&volume);
      if (!volume.persistent_volume_claim) continue;
      const std::string& claim_name = volume.persistent_volume_claim->claim_name;
      const kube::PersistentVolumeClaim* claim = cluster.volumes().claim(name_space, claim_name);
      if (claim == nullptr) {
        return PreFilterResult::rejected({kVolumeRestrictions,
                                          Code::kUnresolvable,
                                          {{ReasonKind::kOther, not_found("persistentvolumeclaim", claim_name)}}});
      }
      const auto& modes = claim->spec.access_modes;
      const bool exclusive = std::find(modes.begin(), modes.end(), kube::AccessMode::kReadWriteOncePod) != modes.end();
      if (exclusive) state.exclusive.insert(claim_name);
    }
    state.users = in_use(cluster, cycle.shape().name_space, state.exclusive);
    if (state.disks.empty() && state.users == 0) return PreFilterResult::skipped();
    return PreFilterResult::go_on();
  }

  RejectionId filter(Cycle& cycle, NodeId node) const override {
    Restrictions& state = cycle.state<Restrictions>(this);
    if (!state.disks.empty() && disk_is_taken(cycle.cluster(), state, node)) {
      return cycle.reject(*this, Code::kUnschedulable, ReasonKind::kDiskConflict);
    }
    if (state.users > 0) return cycle.reject(*this, Code::kUnschedulable, ReasonKind::kReadWriteOncePodConflict);
    return kPassed;
  }

  void pod_added(Cycle& cycle, PodId pod, NodeId) const override { count(cycle, pod, 1); }
  void pod_removed(Cycle& cycle, PodId pod, NodeId) const override { count(cycle, pod, -1); }

 private:
  void count(Cycle& cycle, PodId pod, std::int64_t sign) const {
    Restrictions& state = cycle.state<Restrictions>(this);
    if (!state.exclusive.empty()) state.users += sign * uses(*cycle.cluster().shape_of(pod).spec, state.exclusive);
  }

  static bool disk_is_taken(const Cluster& cluster, Restrictions& state, NodeId node) {
    for (const PodId pod : cluster.pods_on(node)) {
      const cluster::ShapeId shape = cluster.pod(pod).shape;
      const auto [entry, fresh] = state.conflicts.try_emplace(shape, false);
      if (fresh) entry->second = conflict(state.disks, *cluster.shape(shape).spec);
      if (entry->second) return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Plugin> make_volume_restrictions(const kube::PluginArgs&) {
  return std::make_unique<VolumeRestrictions>();
}

}  // namespace loadline::placement
