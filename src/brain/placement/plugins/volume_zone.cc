#include "brain/placement/plugins/volume_zone.h"

#include <algorithm>
#include <array>
#include <string>

#include "brain/cluster/facts/zone_labels.h"
#include "brain/placement/cycle.h"
#include "brain/placement/plugins/pod_claims.h"
#include "foundation/base/text.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;

constexpr std::string_view kVolumeZone = "VolumeZone";

struct ZoneLabel {
  std::string_view key;
  std::string_view current;  ///< what replaced it, or itself
};
constexpr ZoneLabel kZoneLabels[] = {
    {cluster::kOldZoneLabel, cluster::kZoneLabel},
    {cluster::kOldRegionLabel, cluster::kRegionLabel},
    {cluster::kZoneLabel, cluster::kZoneLabel},
    {cluster::kRegionLabel, cluster::kRegionLabel},
};

/// A node must have one of the values under one of the keys.
struct Place {
  Symbol key;
  Symbol current_key;
  std::vector<Symbol> values;
};

struct Places : PluginState {
  bool known = false;
  std::optional<Rejection> rejection;  ///< of the pod as a whole
  std::array<Symbol, std::size(kZoneLabels)> keys;
  std::vector<Place> places;
};

/// The zones or regions of a label; empty if a part of it is.
std::vector<Symbol> values_of(std::string_view label, SymbolTable& symbols) {
  std::vector<Symbol> values;
  for (const std::string_view part : cluster::split_zones(label)) {
    const std::string_view value = trim(part);
    if (value.empty()) return {};
    values.push_back(symbols.intern(value));
  }
  return values;
}

void add_places(const kube::PersistentVolume& volume, SymbolTable& symbols, std::vector<Place>& places) {
  for (const ZoneLabel& label : kZoneLabels) {
    const auto found = volume.metadata.labels.find(label.key);
    if (found == volume.metadata.labels.end()) continue;
    std::vector<Symbol> values = values_of(found->second, symbols);
    if (values.empty()) continue;
    places.push_back({symbols.intern(label.key), symbols.intern(label.current), std::move(values)});
  }
}

Rejection refused(std::string text) {
  return {kVolumeZone, Code::kUnresolvable, {{ReasonKind::kOther, std::move(text)}}};
}

/// What is wrong with a claim without a volume: nothing if it waits for the pod.
std::optional<Rejection> judge_unbound(const cluster::VolumeCatalog& catalog,
                                       const kube::PersistentVolumeClaim& claim) {
  const std::string_view class_name = kube::class_of(claim);
  if (class_name.empty()) return refused("PersistentVolumeClaim had no pv name and storageClass name");
  if (catalog.storage_class(class_name) == nullptr) {
    return refused(not_found("storageclass.storage.k8s.io", class_name));
  }
  if (!catalog.binds_late(claim)) return refused("PersistentVolume had no name");
  return std::nullopt;
}

class VolumeZone final : public Plugin {
 public:
  std::string_view name() const override { return kVolumeZone; }
  Points points() const override { return Point::kPreFilter | Point::kFilter; }

  Locality sign(Cycle& cycle, Signature&) const override {
    return uses_storage(*cycle.shape().spec) ? Locality::kCluster : Locality::kNode;
  }

  PreFilterResult pre_filter(Cycle& cycle) const override {
    const Places& state = places_of_pod(cycle);
    if (state.rejection) return PreFilterResult::rejected(*state.rejection);
    return state.places.empty() ? PreFilterResult::skipped() : PreFilterResult::go_on();
  }

  /// In a profile that leaves it out of PreFilter, every node gets the rejection of the pod as a whole.
  RejectionId filter(Cycle& cycle, NodeId node) const override {
    const Places& state = places_of_pod(cycle);
    if (state.rejection) return cycle.reject(*state.rejection);
    const cluster::LabelSet& labels = cycle.cluster().facts(node).labels;
    const bool placed =
        std::any_of(state.keys.begin(), state.keys.end(), [&](Symbol key) { return labels.find(key).valid(); });
    if (!placed) return kPassed;
    for (const Place& place : state.places) {
      Symbol value = labels.find(place.key);
      if (!value.valid()) value = labels.find(place.current_key);
      if (std::find(place.values.begin(), place.values.end(), value) == place.values.end()) {
        return cycle.reject(*this, Code::kUnresolvable, ReasonKind::kVolumeZoneConflict);
      }
    }
    return kPassed;
  }

 private:
  const Places& places_of_pod(Cycle& cycle) const {
    Places& state = cycle.state<Places>(this);
    if (state.known) return state;
    state.known = true;
    SymbolTable& symbols = cycle.cluster().symbols();
    for (std::size_t i = 0; i < state.keys.size(); ++i) state.keys[i] = symbols.intern(kZoneLabels[i].key);
    state.rejection = collect(cycle, state.places);
    return state;
  }

  /// Where the pod's bound volumes are, or why the pod can be nowhere.
  static std::optional<Rejection> collect(Cycle& cycle, std::vector<Place>& places) {
    const cluster::VolumeCatalog& catalog = cycle.cluster().volumes();
    SymbolTable& symbols = cycle.cluster().symbols();
    const std::string name_space(symbols.text(cycle.shape().name_space));
    for (const kube::Volume& volume : cycle.shape().spec->volumes) {
      if (!volume.persistent_volume_claim) continue;
      const std::string& claim_name = volume.persistent_volume_claim->claim_name;
      if (claim_name.empty()) return refused("PersistentVolumeClaim had no name");
      const kube::PersistentVolumeClaim* claim = catalog.claim(name_space, claim_name);
      if (claim == nullptr) return refused(not_found("persistentvolumeclaim", claim_name));
      if (claim->spec.volume_name.empty()) {
        if (std::optional<Rejection> rejection = judge_unbound(catalog, *claim)) return rejection;
        continue;
      }
      const kube::PersistentVolume* bound = catalog.volume(claim->spec.volume_name);
      if (bound == nullptr) return refused(not_found("persistentvolume", claim->spec.volume_name));
      add_places(*bound, symbols, places);
    }
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Plugin> make_volume_zone(const kube::PluginArgs&) { return std::make_unique<VolumeZone>(); }

}  // namespace loadline::placement
