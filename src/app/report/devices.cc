#include "app/report/devices.h"

#include <algorithm>
#include <tuple>

#include "objects/kube/gpu_resource.h"

namespace loadline::report {
namespace {

/// Beyond this, slots are not devices that a reader would look at one by one.
constexpr std::int64_t kMostDevices = 4096;

std::vector<std::size_t> in_order_of_placement(const simulator::Plan& plan, const simulator::PlannedNode& node) {
  std::vector<std::size_t> pods = node.pods;
  const auto key = [&](std::size_t index) {
    const simulator::PlannedPod& pod = plan.pods[index];
    const bool placed = pod.outcome != simulator::PodOutcome::kRunning;
    return std::tuple(placed, placed ? pod.after : Duration{}, index);
  };
  std::ranges::sort(pods, {}, key);
  return pods;
}

std::int64_t requested(const simulator::PlannedPod& pod, const std::string& resource) {
  const auto found = pod.requests.find(resource);
  return found == pod.requests.end() ? 0 : found->second.value();
}

}  // namespace

std::size_t NodeDevices::used() const {
  return static_cast<std::size_t>(std::ranges::count_if(slots, [](const auto& slot) { return slot.has_value(); }));
}

std::vector<NodeDevices> devices(const simulator::Plan& plan, const simulator::PlannedNode& node) {
  std::vector<NodeDevices> result;
  for (const auto& [name, amounts] : node.resources) {
    if (!kube::is_gpu_resource(name) || amounts.allocatable.sign() <= 0) continue;
    NodeDevices& entry = result.emplace_back();
    entry.resource = name;
    entry.slots.resize(static_cast<std::size_t>(std::min(amounts.allocatable.value(), kMostDevices)));
    std::size_t next_free = 0;
    for (const std::size_t pod : in_order_of_placement(plan, node)) {
      for (std::int64_t left = requested(plan.pods[pod], name); left > 0; --left) {
        if (next_free == entry.slots.size()) {
          entry.overcommitted += left;
          break;
        }
        entry.slots[next_free++] = pod;
      }
    }
  }
  return result;
}

}  // namespace loadline::report
