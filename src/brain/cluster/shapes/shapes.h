#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/cluster/shapes/shape_key.h"
#include "brain/cluster/unused_ids.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

/// The shapes of pods, each once. A shape without pods stays until it is reclaimed.
class Shapes {
 public:
  /// Of shapes that are known.
  [[nodiscard]] std::size_t size() const { return by_key_.size(); }
  /// All ids are below it, also those of shapes that were reclaimed.
  [[nodiscard]] std::size_t slots() const { return shapes_.size(); }
  /// Those that no pod has.
  [[nodiscard]] std::size_t idle() const { return idle_; }
  [[nodiscard]] bool is_shape(ShapeId id) const {
    return id.index() < shapes_.size() && shapes_[id.index()] != nullptr;
  }
  [[nodiscard]] const PodShape& at(ShapeId id) const {
    REQUIRES_SLOW(is_shape(id));
    return *shapes_[id.index()];
  }
  /// Calls `look(ShapeId, const PodShape&)` for each.
  template <class Look>
  void for_each(Look&& look) const {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (shapes_[i] != nullptr) look(ShapeId{i}, *shapes_[i]);
    }
  }

  /// The same for those whose pods have all of these labels; of none, for all. O(shapes with the rarest of them).
  template <class Look>
  void for_each_with(const std::vector<Label>& labels, Look&& look) const {
    if (labels.empty()) return for_each(look);
    for (const ShapeId id : with_rarest(labels)) {
      const PodShape& shape = at(id);
      const auto has = [&](const Label& label) { return shape.labels.find(label.first) == label.second; };
      if (std::ranges::all_of(labels, has)) look(id, shape);
    }
  }

  /// Equal for two pods exactly if they have one shape; valid until the next call. O(size of the spec) once for a spec
  /// that pods share.
  const std::string& key_of(const kube::Pod& pod, NodeNamePart node_name);
  /// Invalid: there is none of that key.
  [[nodiscard]] ShapeId find(const std::string& key) const;
  ShapeId add(const std::string& key, std::unique_ptr<const PodShape> shape);

  /// A pod has the shape, or has it no more.
  void take(ShapeId id) {
    if (pods_[id.index()]++ == 0) --idle_;
  }
  void leave(ShapeId id) {
    if (--pods_[id.index()] == 0) ++idle_;
  }

  /// Forgets idle shapes, after `forget(ShapeId)` was called for each. O(shapes).
  template <class Forget>
  void reclaim(Forget&& forget) {
    for (std::size_t i = 0; i < shapes_.size() && idle_ > 0; ++i) {
      if (shapes_[i] == nullptr || pods_[i] > 0) continue;
      forget(ShapeId{i});
      drop(ShapeId{i});
    }
  }
  /// Specs that only this cache still holds are never asked about again.
  void forget_unshared_specs();

 private:
  struct SpecMemo {
    std::shared_ptr<const kube::PodSpec> spec;
    std::string key;
  };

  struct LabelHash {
    std::size_t operator()(const Label& label) const;
  };

  void append_known_spec_key(const std::shared_ptr<const kube::PodSpec>& spec);
  void drop(ShapeId id);
  [[nodiscard]] std::span<const ShapeId> with_rarest(const std::vector<Label>& labels) const;

  std::vector<std::unique_ptr<const PodShape>> shapes_;
  std::vector<const std::string*> keys_;  // by shape: in by_key_
  std::vector<std::uint32_t> pods_;       // by shape
  UnusedIds<ShapeId> unused_;
  std::size_t idle_ = 0;
  std::unordered_map<std::string, ShapeId> by_key_;
  std::unordered_map<Label, std::vector<ShapeId>, LabelHash> by_label_;  // each list in order
  std::unordered_map<const kube::PodSpec*, SpecMemo> spec_keys_;
  std::string key_;  // of the pod that was last asked about; a member, so that a pod of a known shape allocates nothing
};

}  // namespace loadline::cluster
