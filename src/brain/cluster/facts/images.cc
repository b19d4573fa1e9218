#include "brain/cluster/facts/images.h"

#include <algorithm>
#include <string>

namespace loadline::cluster {

std::vector<std::pair<std::string_view, std::int64_t>> images_of(const kube::Node& node) {
  std::vector<std::pair<std::string_view, std::int64_t>> images;
  for (const kube::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) images.emplace_back(name, image.size_bytes);
  }
  const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(images.begin(), images.end(), by_name);
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  images.erase(std::unique(images.begin(), images.end(), same_name), images.end());
  return images;
}

}  // namespace loadline::cluster
