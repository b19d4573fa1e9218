#include "brain/placement/plugins/volume_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "brain/cluster/facts/volume_matching.h"
#include "brain/placement/cycle.h"
#include "brain/placement/plugins/pod_claims.h"
#include "brain/placement/plugins/volume_reach.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::placement {
namespace {

using cluster::Cluster;
using cluster::NodeId;
using kube::PersistentVolume;
using kube::PersistentVolumeClaim;

constexpr std::string_view kVolumeBinding = "VolumeBinding";

/// A claim that waits for the pod, and the volumes it may choose from.
struct WaitingClaim {
  const PersistentVolumeClaim* claim;
  std::vector<const PersistentVolume*> candidates;
};

/// A claim that an earlier attempt asked the provisioner to serve on a node.
struct SelectedClaim {
  const PersistentVolumeClaim* claim;
  const std::string* node;
};

struct Claims : PluginState {
  std::vector<const PersistentVolumeClaim*> bound;
  std::vector<SelectedClaim> selected;  ///< in the pod's order
  std::vector<WaitingClaim> waiting;    ///< smallest first
  std::optional<VolumeReach> reach;

  void wait(const cluster::VolumeCatalog& catalog, const PersistentVolumeClaim& claim);
};

struct Binding {
  const PersistentVolumeClaim* claim;
  const PersistentVolume* volume;
};

struct Provision {
  const PersistentVolumeClaim* claim;
  const kube::CsiStorageCapacity* capacity;  ///< where it is taken from; null: its driver publishes none
};

/// How the pod would get its volumes on one node, or why it would not.
struct PodVolumes {
  std::vector<Binding> bindings;
  std::vector<Provision> provisions;
  bool bound_in_reach = true;
  bool bound_exist = true;
  bool found = true;
  bool enough_storage = true;
  std::string error;
};

// ---- PreFilter ------------------------------------------------------------------------------------------------------

/// What is wrong with a claim for any node at all.
std::optional<std::string> unusable(const PersistentVolumeClaim* claim, const ClaimUse& use,
                                    std::string_view name_space, std::string_view pod_name) {
  if (claim == nullptr && use.ephemeral) {
    return fmt::format("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"", use.name);
  }
  if (claim == nullptr) return not_found("persistentvolumeclaim", use.name);
  if (claim->phase == "Lost") {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                       claim->metadata.name, claim->spec.volume_name);
  }
  if (claim->metadata.deletion_timestamp) {
    return fmt::format("persistentvolumeclaim \"{}\" is being deleted", claim->metadata.name);
  }
  if (!use.ephemeral) return std::nullopt;
  const std::optional<Error> error = check_owner(*claim, name_space, pod_name);
  return error ? std::optional(error->message) : std::nullopt;
}

void Claims::wait(const cluster::VolumeCatalog& catalog, const PersistentVolumeClaim& claim) {
  const auto node = claim.metadata.annotations.find(cluster::kSelectedNodeAnnotation);
  if (node != claim.metadata.annotations.end()) {
    selected.push_back({&claim, &node->second});
    return;
  }
  waiting.push_back({&claim, catalog.candidates(claim)});
  // Unlike the controller, the scheduler only looks at volumes of the claim's class, reserved or not.
  std::erase_if(waiting.back().candidates,
                [&](const PersistentVolume* volume) { return kube::class_of(*volume) != kube::class_of(claim); });
}

bool smaller(const WaitingClaim& a, const WaitingClaim& b) {
  return cluster::storage_of(a.claim->spec.requests) < cluster::storage_of(b.claim->spec.requests);
}

// ---- one node -------------------------------------------------------------------------------------------------------

/// Finds the pod's volumes on one node.
class Search {
 public:
  Search(const Cluster& cluster, Claims& claims, NodeId node)
      : cluster_(cluster), catalog_(cluster.volumes()), claims_(claims), node_(node) {}

  PodVolumes run() {
    check_bound();
    if (result_.error.empty()) find_or_provision();
    return std::move(result_);
  }

 private:
  void check_bound() {
    for (const PersistentVolumeClaim* claim : claims_.bound) {
      const PersistentVolume* volume = catalog_.volume(claim->spec.volume_name);
      if (volume == nullptr) {
        result_.bound_exist = false;
        return;
      }
      const Result<bool> reached = claims_.reach->reaches_bound(*volume, node_);
      if (!reached) result_.error = reached.error().message;
      if (!reached || !*reached) {
        result_.bound_in_reach = false;
        return;
      }
    }
  }

  void find_or_provision() {
    std::vector<const PersistentVolumeClaim*> to_provision;
    for (const SelectedClaim& selected : claims_.selected) {
      if (*selected.node != cluster_.node_name(node_)) {
        result_.found = false;
        return;
      }
      to_provision.push_back(selected.claim);
    }
    find(to_provision);
    provision(to_provision);
  }

  void find(std::vector<const PersistentVolumeClaim*>& to_provision) {
    std::vector<const PersistentVolume*> taken;
    for (const WaitingClaim& waiting : claims_.waiting) {
      const PersistentVolume* volume = cluster::find_volume_in_reach(
          *waiting.claim, waiting.candidates, taken,
          [this](const PersistentVolume& each) { return claims_.reach->reaches(each, node_); });
      if (volume == nullptr) {
        to_provision.push_back(waiting.claim);
        continue;
      }
      taken.push_back(volume);
      result_.bindings.push_back({waiting.claim, volume});
    }
  }

  /// Stops at the first claim that cannot be provisioned.
  void provision(const std::vector<const PersistentVolumeClaim*>& claims) {
    for (const PersistentVolumeClaim* claim : claims) {
      const std::string_view class_name = kube::class_of(*claim);
      const kube::StorageClass* storage_class = catalog_.storage_class(class_name);
      if (storage_class == nullptr) {
        result_.error = fmt::format("failed to find storage class \"{}\"", class_name);
        return;
      }
      const std::string& provisioner = storage_class->provisioner;
      if (provisioner.empty() || provisioner == cluster::kNoProvisioner ||
          !claims_.reach->allows(*storage_class, node_)) {
        result_.found = false;
        return;
      }
      const std::optional<Provision> provision = take_capacity(*claim, *storage_class);
      if (!provision) {
        result_.enough_storage = false;
        return;
      }
      result_.provisions.push_back(*provision);
    }
  }

  /// Only drivers that opt in are asked for their capacity. nullopt: too little within reach.
  std::optional<Provision> take_capacity(const PersistentVolumeClaim& claim, const kube::StorageClass& storage_class) {
    const Provision uncounted{&claim, nullptr};
    if (!claim.spec.requests.contains("storage")) return uncounted;
    const kube::CsiDriver* driver = catalog_.csi_driver(storage_class.provisioner);
    if (driver == nullptr || !driver->storage_capacity) return uncounted;
    const std::int64_t size = cluster::storage_of(claim.spec.requests).value();
    for (const auto& [key, capacity] : catalog_.capacities()) {
      if (capacity.storage_class_name != storage_class.metadata.name) continue;
      const auto& limit = capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
      if (!limit || limit->value() < size || !claims_.reach->reaches(capacity, node_)) continue;
      return Provision{&claim, &capacity};
    }
    return std::nullopt;
  }

  const Cluster& cluster_;
  const cluster::VolumeCatalog& catalog_;
  Claims& claims_;
  NodeId node_;
  PodVolumes result_;
};

std::vector<Reason> reasons_of(const PodVolumes& volumes) {
  std::vector<Reason> reasons;
  if (!volumes.bound_in_reach) reasons.push_back({ReasonKind::kVolumeNodeAffinityConflict, ""});
  if (!volumes.found) reasons.push_back({ReasonKind::kVolumeBindConflict, ""});
  if (!volumes.enough_storage) reasons.push_back({ReasonKind::kNotEnoughSpace, ""});
  if (!volumes.bound_exist) reasons.push_back({ReasonKind::kMissingVolume, ""});
  return reasons;
}

class VolumeBinding final : public Plugin {
 public:
  std::string_view name() const override { return kVolumeBinding; }
  Points points() const override {
    return Point::kPreFilter | Point::kFilter | Point::kPreScore | Point::kScore | Point::kReserve | Point::kPreBind;
  }

  std::string without_pre_filter() const override { return "not found"; }

  Locality sign(Cycle& cycle, Signature&) const override {
    return uses_storage(*cycle.shape().spec) ? Locality::kCluster : Locality::kNode;
  }

  PreFilterResult pre_filter(Cycle& cycle) const override {
    const Cluster& cluster = cycle.cluster();
    const std::string_view name_space = cluster.symbols().text(cycle.shape().name_space);
    const std::string_view pod_name = cluster.pod_name(cycle.pod());
    std::vector<const PersistentVolumeClaim*> claims;
    for (const kube::Volume& volume : cycle.shape().spec->volumes) {
      const std::optional<ClaimUse> use = claim_of(volume, pod_name);
      if (!use) continue;
      claims.push_back(cluster.volumes().claim(name_space, use->name));
      if (std::optional<std::string> text = unusable(claims.back(), *use, name_space, pod_name)) {
        return PreFilterResult::rejected(
            {kVolumeBinding, Code::kUnresolvable, {{ReasonKind::kOther, std::move(*text)}}});
      }
    }
    if (claims.empty()) return PreFilterResult::skipped();
    return sort_out(cycle, claims);
  }

  RejectionId filter(Cycle& cycle, NodeId node) const override {
    const PodVolumes volumes = Search(cycle.cluster(), cycle.state<Claims>(this), node).run();
    if (!volumes.error.empty()) {
      return cycle.reject(
          {kVolumeBinding, Code::kError, {{ReasonKind::kOther, filter_error(kVolumeBinding, volumes.error)}}});
    }
    std::vector<Reason> reasons = reasons_of(volumes);
    if (reasons.empty()) return kPassed;
    return cycle.reject({kVolumeBinding, Code::kUnresolvable, std::move(reasons)});
  }

  bool pre_score(Cycle&, const FeasibleNodes&) const override { return false; }

  void reserve(Cycle& cycle, NodeId node) const override {
    Claims& claims = cycle.state<Claims>(this);
    if (claims.waiting.empty() && claims.selected.empty()) return;
    Cluster& cluster = cycle.cluster();
    // Nothing has changed since Filter, so the search finds again what it found then.
    const PodVolumes volumes = Search(cluster, claims, node).run();
    const cluster::SelectedNode selected{cluster.node_name(node), cluster.facts(node).labels, cluster.symbols()};
    // A pod that names a claim twice needs it once.
    std::set<const PersistentVolumeClaim*> served;
    for (const Binding& binding : volumes.bindings) {
      if (served.insert(binding.claim).second) cluster.volumes().bind(*binding.claim, *binding.volume);
    }
    for (const Provision& provision : volumes.provisions) {
      if (!served.insert(provision.claim).second) continue;
      cluster.volumes().provision(*provision.claim, selected, provision.capacity);
    }
    claims.waiting.clear();
    claims.selected.clear();
  }

 private:
  PreFilterResult sort_out(Cycle& cycle, const std::vector<const PersistentVolumeClaim*>& claims) const {
    const cluster::VolumeCatalog& catalog = cycle.cluster().volumes();
    Claims& state = cycle.state<Claims>(this);
    state.reach.emplace(cycle.cluster());
    for (const PersistentVolumeClaim* claim : claims) {
      if (cluster::fully_bound(*claim)) {
        state.bound.push_back(claim);
      } else if (catalog.binds_late(*claim) && claim->spec.volume_name.empty()) {
        state.wait(catalog, *claim);
      } else {
        return PreFilterResult::rejected(
            {kVolumeBinding, Code::kUnresolvable, {{ReasonKind::kUnboundImmediateClaims, ""}}});
      }
    }
    std::stable_sort(state.waiting.begin(), state.waiting.end(), smaller);
    return PreFilterResult::go_on();
  }
};

}  // namespace

std::unique_ptr<Plugin> make_volume_binding(const kube::PluginArgs&) { return std::make_unique<VolumeBinding>(); }

}  // namespace loadline::placement
