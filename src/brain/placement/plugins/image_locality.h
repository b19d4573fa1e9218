#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Prefers nodes that already have the pod's images, large ones above all, discounted by how few nodes have them so
/// that pods do not pile up on one.
///
/// Score: Σ over images present of `trunc(bytes · nodes having it / nodes)`, clamped to 23 MiB .. 1000 MiB per
/// container and scaled to 0..100. Example: an image of 250 MiB on 1 of 10 nodes: 25 MiB, so 0 for one container.
/// Source: kube-scheduler v1.36, plugin ImageLocality.
class ImageLocality final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "ImageLocality"; }
  [[nodiscard]] Points points() const override { return Point::kScore; }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  void add_shared_facts(const Cycle& cycle, Signature& facts) const override;
  void score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;
};

std::unique_ptr<Plugin> make_image_locality(const kube::PluginArgs& args);

}  // namespace loadline::placement
