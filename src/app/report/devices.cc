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

std::int64_t amount_of(const kube::ResourceList& requests, const std::string& resource) {
  const auto found = requests.find(resource);
  return found == requests.end() ? 0 : found->second.value();
}

/// What pods do not have of the node's devices, as far as it goes.
void add_reserved(const simulator::Plan& plan, const simulator::PlannedNode& node, std::size_t next_free,
                  NodeDevices& entry) {
  for (const std::size_t reservation : node.reserved) {
    std::int64_t left = amount_of(plan.reservations[reservation].requests, entry.resource);
    for (; left > 0 && next_free < entry.slots.size(); --left, ++next_free) entry.reserved.push_back(reservation);
  }
}

}  // namespace

std::size_t NodeDevices::used() const {
  return static_cast<std::size_t>(std::ranges::count_if(slots, [](const auto& slot) { return slot.has_value(); }));
}

std::optional<std::size_t> NodeDevices::reservation_of(std::size_t slot) const {
  const std::size_t first = used();
  return slot < first || slot >= first + reserved.size() ? std::nullopt : std::optional(reserved[slot - first]);
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
      for (std::int64_t left = amount_of(plan.pods[pod].requests, name); left > 0; --left) {
        if (next_free == entry.slots.size()) {
          entry.overcommitted += left;
          break;
        }
        entry.slots[next_free++] = pod;
      }
    }
    add_reserved(plan, node, next_free, entry);
  }
  return result;
}

}  // namespace loadline::report
