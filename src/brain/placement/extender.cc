#include "brain/placement/extender.h"

#include <fmt/format.h>

#include <algorithm>

namespace loadline::placement {
namespace {

bool uses_one(const std::vector<kube::Container>& containers,
              const std::vector<kube::ExtenderManagedResource>& managed) {
  const auto lists_one = [&](const kube::ResourceList& list) {
    return std::any_of(managed.begin(), managed.end(),
                       [&](const auto& resource) { return list.contains(resource.name); });
  };
  return std::any_of(containers.begin(), containers.end(), [&](const kube::Container& container) {
    return lists_one(container.resources.requests) || lists_one(container.resources.limits);
  });
}

/// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view text, std::uint64_t basis) {
  for (const char c : text) basis = (basis ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return basis;
}

}  // namespace

bool interested(const kube::Extender& extender, const kube::PodSpec& pod) {
  const bool decides =
      !extender.filter_verb.empty() || !extender.prioritize_verb.empty() || !extender.preempt_verb.empty();
  return decides && (extender.managed_resources.empty() || uses_one(pod.containers, extender.managed_resources) ||
                     uses_one(pod.init_containers, extender.managed_resources));
}

std::string uid_of(const kube::Pod& pod) {
  if (!pod.metadata.uid.empty()) return pod.metadata.uid;
  const std::string name = pod.metadata.namespace_ + "/" + pod.metadata.name;
  const std::uint64_t high = hash(name, 0xcbf29ce484222325U);
  const std::uint64_t low = hash(name, high);
  // Version 8 of RFC 9562 is for such uses.
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xfff,
                     0x8000 | (low >> 48 & 0x3fff), low & 0xffffffffffff);
}

}  // namespace loadline::placement
