#include "brain/placement/plugins/image_locality.h"

#include <algorithm>

#include "brain/placement/cycle.h"

namespace loadline::placement {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr std::int64_t kLeast = 23 * kMebibyte;
constexpr std::int64_t kMostPerContainer = 1000 * kMebibyte;

struct WantedImage {
  Symbol name;
  std::int64_t worth;  // bytes saved, discounted by rarity
};

std::vector<WantedImage> wanted_images(const Cycle& cycle) {
  const cluster::Cluster& cluster = cycle.cluster();
  std::vector<WantedImage> wanted;
  for (const Symbol name : cycle.shape().images) {
    const cluster::ImageState* image = cluster.image(name);
    if (image == nullptr) continue;
    const double spread = static_cast<double>(image->nodes) / static_cast<double>(cluster.node_count());
    wanted.push_back({name, static_cast<std::int64_t>(static_cast<double>(image->bytes) * spread)});
  }
  return wanted;
}

}  // namespace

Locality ImageLocality::sign(Cycle& cycle, Signature& signature) const {
  signature.add(cycle.shape().container_count, cycle.shape().images.size());
  for (const Symbol image : cycle.shape().images) signature.add(image);
  return Locality::kFacts;
}

void ImageLocality::add_shared_facts(const Cycle& cycle, Signature& facts) const {
  for (const WantedImage& image : wanted_images(cycle)) {
    facts.add(image.name);
    facts.add(image.worth);
  }
}

void ImageLocality::score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const {
  const cluster::Cluster& cluster = cycle.cluster();
  const std::vector<WantedImage> wanted = wanted_images(cycle);
  const std::int64_t most = kMostPerContainer * static_cast<std::int64_t>(cycle.shape().container_count);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::int64_t sum = 0;
    const std::vector<Symbol>& present = cluster.facts(nodes[i]).images;
    for (const WantedImage& image : wanted) {
      if (!cycle.nodes_look_empty() && std::binary_search(present.begin(), present.end(), image.name))
        sum += image.worth;
    }
    // Upstream compares with the lower bound first, so a pod without containers cannot reach std::clamp's bad case.
    const std::int64_t clamped = sum < kLeast ? kLeast : std::min(sum, most);
    scores[i] = kMaxNodeScore * (clamped - kLeast) / (most - kLeast);
  }
}

std::unique_ptr<Plugin> make_image_locality(const kube::PluginArgs&) { return std::make_unique<ImageLocality>(); }

}  // namespace loadline::placement
