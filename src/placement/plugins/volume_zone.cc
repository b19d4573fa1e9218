#include "placement/plugins/volume_zone.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "cluster/zone_labels.h"
#include "kube/storage/storage_classes.h"
#include "placement/cycle.h"
#include "placement/plugins/pod_claims.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;

constexpr std::string_view kName = "VolumeZone";

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

PreFilterVerdict refused(std::string text) {
  return PreFilterVerdict::rejected({kName, Code::kUnresolvable, {{ReasonKind::kOther, std::move(text)}}});
}

/// What to do about a claim without a volume: nothing (nullopt) if it waits for the pod.
std::optional<PreFilterVerdict> judge_unbound(const cluster::VolumeCatalog& catalog,
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
  std::string_view name() const override { return kName; }
  Points points() const override { return Point::kPreFilter | Point::kFilter; }

  Locality sign(Cycle& cycle, Signature&) const override {
    return uses_storage(*cycle.shape().spec) ? Locality::kCluster : Locality::kNode;
  }

  PreFilterVerdict pre_filter(Cycle& cycle) const override {
    Places& state = cycle.state<Places>(this);
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
        if (std::optional<PreFilterVerdict> verdict = judge_unbound(catalog, *claim)) return std::move(*verdict);
        continue;
      }
      const kube::PersistentVolume* bound = catalog.volume(claim->spec.volume_name);
      if (bound == nullptr) return refused(not_found("persistentvolume", claim->spec.volume_name));
      add_places(*bound, symbols, state.places);
    }
    if (state.places.empty()) return PreFilterVerdict::skipped();
    for (std::size_t i = 0; i < state.keys.size(); ++i) state.keys[i] = symbols.intern(kZoneLabels[i].key);
    return PreFilterVerdict::go_on();
  }

  RejectionId filter(Cycle& cycle, NodeId node) const override {
    const Places& state = cycle.state<Places>(this);
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
};

}  // namespace

std::unique_ptr<Plugin> make_volume_zone(const kube::PluginArgs&) { return std::make_unique<VolumeZone>(); }

}  // namespace loadline::placement
