#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/queue/kueue/pod_shapes.h"
#include "objects/kube/kueue/resource_flavor.h"

namespace loadline::queue::kueue {

using FlavorId = Id<struct FlavorTag>;

/// Whether pods of a shape may have a flavor, whatever its quota.
struct FlavorMatch {
  enum class Code : std::uint8_t { kUnknown, kMatches, kNoFlavor, kUntoleratedTaint, kNodeAffinity };
  Code code = Code::kUnknown;
  std::uint8_t taint = 0;  ///< of kUntoleratedTaint: its place in nodeTaints
  friend bool operator==(const FlavorMatch&, const FlavorMatch&) = default;
};

/// ResourceFlavors, by name, whether they are there or only named by queues, and which pods they take.
///
/// A flavor takes pods that, with its own tolerations, tolerate its NoSchedule and NoExecute taints, and whose node
/// selector and required affinity its labels satisfy, as far as these speak of keys that the flavor has labels of: a
/// term that speaks of none of them makes the affinity as a whole irrelevant.
/// What was found for a shape is remembered until the flavor changes.
/// Source: Kueue v0.19.2, pkg/scheduler/flavorassigner checkFlavorForPodSets, flavorSelector.
class Flavors {
 public:
  /// `symbols` are those of the quota tree.
  explicit Flavors(SymbolTable& symbols, const PodShapes& shapes) : symbols_(symbols), shapes_(shapes) {}

  /// Of a name, whether there is such a flavor or not.
  FlavorId intern(std::string_view name);
  [[nodiscard]] Symbol name(FlavorId flavor) const { return flavors_[flavor.index()].name; }
  [[nodiscard]] bool exists(FlavorId flavor) const { return flavors_[flavor.index()].object.has_value(); }
  /// REQUIRES: exists().
  [[nodiscard]] const kube::ResourceFlavor& object(FlavorId flavor) const { return *flavors_[flavor.index()].object; }

  /// True: it was there, and takes other pods now.
  bool set(const kube::ResourceFlavor& flavor);
  /// The name stays, as one that only queues name.
  void remove(std::string_view name);

  [[nodiscard]] FlavorMatch match(FlavorId flavor, ShapeId shape);

 private:
  struct Flavor {
    Symbol name;
    std::optional<kube::ResourceFlavor> object;
    cluster::LabelSet labels;
    std::vector<cluster::CompiledTaint> taints;
    std::vector<cluster::CompiledToleration> tolerations;
    std::vector<FlavorMatch> matches;  // by shape
  };
  [[nodiscard]] FlavorMatch compute(const Flavor& flavor, const PodShape& shape) const;
  [[nodiscard]] bool satisfies(const cluster::LabelSet& labels, const PodShape& shape) const;

  SymbolTable& symbols_;
  const PodShapes& shapes_;
  std::vector<Flavor> flavors_;
  std::unordered_map<Symbol, FlavorId> by_name_;
};

}  // namespace loadline::queue::kueue
