#include "hosts/controllers/node_zones.h"

#include <algorithm>
#include <string_view>

#include "objects/kube/condition.h"

namespace loadline::controllers {
namespace {

constexpr Duration kNormalInterval = Duration::seconds(10);
constexpr Duration kReducedInterval = Duration::seconds(100);
constexpr Duration kMonitorPeriod = Duration::seconds(5);
constexpr std::size_t kLargeZone = 50;

std::string_view label(const kube::Node& node, std::string_view old_key, std::string_view key) {
  for (const std::string_view name : {old_key, key}) {
    const auto found = node.metadata.labels.find(name);
    if (found != node.metadata.labels.end()) return found->second;
  }
  return {};
}

bool is_node_ready(const kube::Node& node) { return kube::has_true_condition(node.conditions, "Ready"); }

}  // namespace

std::string zone_of(const kube::Node& node) {
  const std::string_view region =
      label(node, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  const std::string_view zone = label(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  if (region.empty() && zone.empty()) return {};
  return std::string(region) + ':' + std::string(zone);
}

void NodeZones::on_node(const Change<kube::Node>& change) {
  const std::string& name = change.last().metadata().name;
  if (const auto known = nodes_.find(name); known != nodes_.end()) {
    count(known->second, false);
    nodes_.erase(known);
  }
  if (change.after == nullptr) return;
  const kube::Node& node = change.after->view;
  if (node.metadata.labels.contains("node.kubernetes.io/exclude-disruption")) return;
  count(nodes_.insert_or_assign(name, Membership{zone_of(node), is_node_ready(node)}).first->second, true);
}

void NodeZones::count(const Membership& node, bool comes) {
  Zone& zone = zones_[node.zone];
  std::size_t& number = node.is_ready ? zone.ready : zone.unready;
  number = comes ? number + 1 : number - 1;
}

bool NodeZones::is_all_lost() const {
  bool any = false;
  for (const auto& [name, zone] : zones_) {
    if (zone.ready > 0) return false;
    any = any || zone.unready > 0;
  }
  return any;
}

std::optional<Duration> NodeZones::interval(const Zone& zone) {
  const std::size_t size = zone.ready + zone.unready;
  const bool is_partial = zone.ready > 0 && zone.unready > 2 && zone.unready * 100 >= size * 55;
  if (!is_partial) return kNormalInterval;
  return size > kLargeZone ? std::optional(kReducedInterval) : std::nullopt;
}

bool NodeZones::may_taint(const std::string& zone, Instant now) {
  Zone& of = zones_[zone];
  const std::optional<Duration> spacing = interval(of);
  if (is_all_lost() || !spacing || (of.next && now < *of.next)) return false;
  of.next = now + *spacing;
  return true;
}

Duration NodeZones::retry_after(const std::string& zone, Instant now) const {
  const auto found = zones_.find(zone);
  const bool waits = found != zones_.end() && found->second.next && now < *found->second.next;
  return waits ? std::min(*found->second.next - now, kMonitorPeriod) : kMonitorPeriod;
}

}  // namespace loadline::controllers
