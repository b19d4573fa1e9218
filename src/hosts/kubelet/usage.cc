#include "hosts/kubelet/usage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "foundation/base/rng.h"
#include "hosts/kubelet/annotations.h"

namespace loadline::kubelet {
namespace {

using kube::Quantity;
using watching::Observed;

constexpr double kShare = 0.5;              // of what is requested
constexpr double kSwing = 0.2;              // of that, up and down
constexpr double kWave = 300;               // seconds
constexpr std::int64_t kLeastMilliCpu = 1;  // of a container that requests nothing
constexpr std::int64_t kLeastMemory = 8 << 20;
constexpr std::int64_t kSystemMilliCpu = 50;  // of the machine itself
constexpr std::int64_t kSystemMemory = 500 << 20;

/// Between 1 - kSwing and 1 + kSwing; each container is in another place of its wave.
double wave(const std::string& uid, const std::string& container, Instant at) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const std::string_view text : {std::string_view(uid), std::string_view(container)}) {
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  const double phase = static_cast<double>(Rng(hash).below(1000)) / 1000;
  const double seconds = static_cast<double>(at.nanoseconds) / 1e9;
  constexpr double kTurn = 6.283185307179586;
  return 1 + kSwing * std::sin(kTurn * (std::fmod(seconds, kWave) / kWave + phase));
}

std::optional<Quantity> amount_if_told(const kube::ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? std::nullopt : std::optional(found->second);
}

Quantity milli_cpu(double count) { return Quantity::of_milli(std::max<std::int64_t>(std::llround(count), 1)); }
Quantity bytes(double count) {
  const std::int64_t kibibytes = std::max<std::int64_t>(std::llround(std::min(count, 9e18) / 1024), 1);
  return Quantity::of(kibibytes * 1024, Quantity::Format::kBinarySI);
}

ContainerUsage use(const Observed<kube::Pod>& pod, const kube::Container& container, Instant at) {
  AnnotationReader annotations(pod.metadata().annotations, container.name);
  const double factor = wave(pod.metadata().uid, container.name, at);
  const auto said = [&](std::string_view ours, std::string_view kwok) {
    const auto found = annotations.quantity(ours);
    return found ? found : annotations.quantity(kwok);
  };
  ContainerUsage usage;
  if (const auto cpu = said(kCpuUsage, "kwok.x-k8s.io/usage-cpu")) {
    usage.cpu = *cpu;
  } else {
    const auto requested = amount_if_told(container.resources.requests, "cpu");
    usage.cpu = milli_cpu(requested ? static_cast<double>(requested->milli_value()) * kShare * factor : kLeastMilliCpu);
  }
  if (const auto memory = said(kMemoryUsage, "kwok.x-k8s.io/usage-memory")) {
    usage.memory = *memory;
  } else {
    const auto requested = amount_if_told(container.resources.requests, "memory");
    usage.memory = bytes(requested ? requested->approximate() * kShare * factor : kLeastMemory);
    const auto limit = amount_if_told(container.resources.limits, "memory");
    if (limit && usage.memory > *limit) usage.memory = *limit;
  }
  return usage;
}

bool runs(const std::vector<kube::ContainerStatus>& statuses, const std::string& name) {
  return std::any_of(statuses.begin(), statuses.end(), [&](const kube::ContainerStatus& status) {
    return status.name == name && status.state.running.has_value();
  });
}

}  // namespace

std::vector<std::pair<std::string, ContainerUsage>> usage_of(const Observed<kube::Pod>& pod, Instant at) {
  std::vector<std::pair<std::string, ContainerUsage>> usage;
  if (pod.view.status.phase != kube::PodPhase::kRunning) return usage;
  const auto add = [&](const std::vector<kube::Container>& containers,
                       const std::vector<kube::ContainerStatus>& known) {
    for (const kube::Container& container : containers) {
      if (runs(known, container.name)) usage.emplace_back(container.name, use(pod, container, at));
    }
  };
  add(pod.view.spec->init_containers, pod.view.status.init_container_statuses);
  add(pod.view.spec->containers, pod.view.status.container_statuses);
  return usage;
}

ContainerUsage usage_of(const Observed<kube::Node>& node, const watching::Caches& caches, Instant at) {
  ContainerUsage sum{Quantity::of_milli(kSystemMilliCpu), Quantity::of(kSystemMemory, Quantity::Format::kBinarySI)};
  for (const auto& [key, pod] : caches.pods_on(node.metadata().name)) {
    for (const auto& [name, usage] : usage_of(*pod, at)) {
      sum.cpu += usage.cpu;
      sum.memory += usage.memory;
    }
  }
  return sum;
}

}  // namespace loadline::kubelet
