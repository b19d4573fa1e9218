#include "brain/queue/kueue/adjusted_pods.h"

#include <algorithm>
#include <utility>

namespace loadline::queue::kueue {
namespace {

/// Adds what is not there. True: something was not.
bool fill(kube::ResourceList& amounts, const kube::ResourceList& defaults) {
  const std::size_t before = amounts.size();
  amounts.insert(defaults.begin(), defaults.end());
  return amounts.size() != before;
}

bool adjust(kube::ResourceRequirements& it, const kube::ResourceList& limits, const kube::ResourceList& requests) {
  bool has_changed = fill(it.limits, limits);
  has_changed = fill(it.requests, requests) || has_changed;
  return fill(it.requests, it.limits) || has_changed;
}

}  // namespace

PodDefaults defaults_of(std::span<const kube::LimitRange* const> ranges) {
  PodDefaults defaults;
  for (const kube::LimitRange* range : ranges) {
    for (const kube::LimitRangeItem& item : range->limits) {
      if (item.type == kube::LimitType::kContainer) {
        fill(defaults.container_limits, item.default_limit);
        fill(defaults.container_requests, item.default_request);
      } else if (item.type == kube::LimitType::kPod) {
        fill(defaults.pod_limits, item.default_limit);
        fill(defaults.pod_requests, item.default_request);
      }
    }
  }
  return defaults;
}

std::shared_ptr<const kube::PodSpec> adjusted(std::shared_ptr<const kube::PodSpec> spec, const PodDefaults& defaults,
                                              const kube::RuntimeClass* runtime_class) {
  kube::PodSpec it = *spec;
  bool has_changed = false;
  if (runtime_class != nullptr && runtime_class->overhead && it.overhead.empty()) {
    it.overhead = runtime_class->overhead->pod_fixed;
    has_changed = !it.overhead.empty();
  }
  for (std::vector<kube::Container>* containers : {&it.init_containers, &it.containers}) {
    for (kube::Container& container : *containers) {
      has_changed = adjust(container.resources, defaults.container_limits, defaults.container_requests) || has_changed;
    }
  }
  if (it.resources) has_changed = adjust(*it.resources, defaults.pod_limits, defaults.pod_requests) || has_changed;
  if (!has_changed) return spec;
  return std::make_shared<const kube::PodSpec>(std::move(it));
}

}  // namespace loadline::queue::kueue
