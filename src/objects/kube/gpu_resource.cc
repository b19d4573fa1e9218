#include "objects/kube/gpu_resource.h"

#include <algorithm>
#include <array>

namespace loadline::kube {
namespace {

/// Words in a resource's name which say that it measures a part of a device.
constexpr std::array<std::string_view, 5> kMeasures = {"mem", "core", "percent", "ratio", "monitoring"};

constexpr std::array<std::string_view, 5> kDevicePrefixes = {"gpu", "mig-", "tpu", "neuron", "gaudi"};

}  // namespace

std::string_view short_resource_name(std::string_view resource) {
  const std::size_t slash = resource.find('/');
  return slash == std::string_view::npos ? resource : resource.substr(slash + 1);
}

bool is_gpu_resource(std::string_view resource) {
  const std::size_t slash = resource.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view name = resource.substr(slash + 1);
  const bool measure =
      std::ranges::any_of(kMeasures, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
  if (measure) return false;
  if (resource.substr(0, slash) == "gpu.intel.com") return true;
  return std::ranges::any_of(kDevicePrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace loadline::kube
