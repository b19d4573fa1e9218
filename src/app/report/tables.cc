#include "app/report/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "app/report/amount.h"
#include "app/report/devices.h"
#include "app/report/words.h"
#include "objects/kube/gpu_resource.h"

namespace loadline::report {
namespace {

using simulator::Plan;
using simulator::PlannedNode;
using simulator::PlannedPod;

constexpr Alignment kLeft = Alignment::kLeft;
constexpr Alignment kRight = Alignment::kRight;

/// "2 cpu, 8Gi, 1 gpu".
std::string requests_text(const kube::ResourceList& requests) {
  std::string text;
  for (const auto& [name, amount] : requests) {
    if (amount.is_zero()) continue;
    if (!text.empty()) text += ", ";
    text += readable_amount(name, amount);
    if (name != "memory") text += " " + std::string(kube::short_resource_name(name));
  }
  return text.empty() ? "-" : text;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

/// Where the pod is; for one that left, where it was; for one still waiting, where room is being made.
std::string place_text(const PlannedPod& pod) {
  if (!pod.nominated_node.empty()) return "(" + pod.nominated_node + ")";
  return or_dash(pod.node);
}

std::string explanation(const PlannedPod& pod) {
  if (!pod.preempted_by.empty()) return "by " + pod.preempted_by;
  const bool waited = pod.outcome == simulator::PodOutcome::kPlaced && pod.after > Duration{};
  if (!pod.undecided.empty() && pod.message.empty()) return "not decided: " + pod.undecided;
  return waited ? "after " + span_text(pod.after) : pod.message;
}

std::string share_text(const PlannedNode& node, const std::string& resource) {
  const auto found = node.resources.find(resource);
  if (found == node.resources.end()) return "-";
  return readable_amount(resource, found->second.requested) + "/" +
         readable_amount(resource, found->second.allocatable);
}

std::string device_text(const Plan& plan, const PlannedNode& node) {
  const std::vector<NodeDevices> all = devices(plan, node);
  std::string text;
  for (const NodeDevices& entry : all) {
    if (!text.empty()) text += "; ";
    if (all.size() > 1) text += std::string(kube::short_resource_name(entry.resource)) + ": ";
    text += holders_text(plan, entry);
  }
  return or_dash(text);
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string seconds_text(Duration span) {
  const std::int64_t tenths = span.nanoseconds / 100'000'000;
  return tenths % 10 == 0 ? fmt::format("{}", tenths / 10) : fmt::format("{}.{}", tenths / 10, tenths % 10);
}

std::string canonical(const kube::ResourceList& list, const std::string& name) {
  const auto found = list.find(name);
  return found == list.end() ? "" : found->second.to_string();
}

}  // namespace

std::string holders_text(const Plan& plan, const NodeDevices& devices) {
  const auto holder = [&](std::size_t slot) -> std::string {
    if (devices.slots[slot]) return pod_key(plan.pods[*devices.slots[slot]]);
    const std::optional<std::size_t> reservation = devices.reservation_of(slot);
    return reservation ? "reserved for " + reservation_key(plan.reservations[*reservation]) : "free";
  };
  std::string text;
  for (std::size_t first = 0; first < devices.slots.size();) {
    const std::string name = holder(first);
    std::size_t last = first;
    while (last + 1 < devices.slots.size() && holder(last + 1) == name) ++last;
    if (!text.empty()) text += ", ";
    text += last == first ? fmt::format("{} ", first) : fmt::format("{}-{} ", first, last);
    text += name;
    first = last + 1;
  }
  return text;
}

Table pods_table(const Plan& plan, const Scope& scope) {
  Table table;
  table.columns = {{"NAMESPACE"},        {"POD"},      {"OUTCOME"},  {"NODE"},
                   {"PRIORITY", kRight}, {"REQUESTS"}, {"WORKLOAD"}, {"WHY", kLeft, true}};
  for (const PlannedPod& pod : plan.pods) {
    if (!scope.shows(pod)) continue;
    const std::string workload = pod.workload.kind == "Pod" ? "-" : pod.workload.kind + "/" + pod.workload.name;
    table.rows.push_back({pod.name_space, pod.name, std::string(outcome_word(pod.outcome)), place_text(pod),
                          std::to_string(pod.priority), requests_text(pod.requests), workload,
                          or_dash(explanation(pod))});
  }
  return table;
}

Table nodes_table(const Plan& plan) {
  Table table;
  table.columns = {{"NODE"},
                   {"STATE"},
                   {"CPU", kRight},
                   {"MEMORY", kRight},
                   {"PODS", kRight},
                   {"GPUS", kLeft, true},
                   {"TAINTS", kLeft, true}};
  for (const PlannedNode& node : plan.nodes) {
    table.rows.push_back({node.name, node.unschedulable ? "cordoned" : "ready", share_text(node, "cpu"),
                          share_text(node, "memory"), fmt::format("{}/{}", node.slots_used(), node.allowed_pods),
                          device_text(plan, node), or_dash(joined(node.taints, " "))});
  }
  return table;
}

Table pods_csv(const Plan& plan, const Scope& scope) {
  std::set<std::string> resources;
  for (const PlannedPod& pod : plan.pods) {
    for (const auto& [name, amount] : pod.requests) resources.insert(name);
  }
  Table table;
  for (const char* header : {"namespace", "name", "workload_kind", "workload", "outcome", "node", "nominated_node",
                             "priority", "scheduler"}) {
    table.columns.push_back({header});
  }
  for (const std::string& resource : resources) table.columns.push_back({resource});
  for (const char* header : {"preempted_by", "after_seconds", "message"}) table.columns.push_back({header});
  for (const PlannedPod& pod : plan.pods) {
    if (!scope.shows(pod)) continue;
    std::vector<std::string> row = {pod.name_space,
                                    pod.name,
                                    pod.workload.kind,
                                    pod.workload.name,
                                    std::string(outcome_word(pod.outcome)),
                                    pod.node,
                                    pod.nominated_node,
                                    std::to_string(pod.priority),
                                    pod.scheduler_name};
    for (const std::string& resource : resources) row.push_back(canonical(pod.requests, resource));
    row.insert(row.end(), {pod.preempted_by, seconds_text(pod.after), pod.message});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table nodes_csv(const Plan& plan) {
  std::set<std::string> resources;
  for (const PlannedNode& node : plan.nodes) {
    for (const auto& [name, amounts] : node.resources) resources.insert(name);
  }
  resources.erase("pods");
  Table table;
  for (const char* header : {"name", "unschedulable", "taints", "pods", "allowed_pods"})
    table.columns.push_back({header});
  for (const std::string& resource : resources) {
    table.columns.push_back({resource + "_allocatable"});
    table.columns.push_back({resource + "_requested"});
  }
  for (const PlannedNode& node : plan.nodes) {
    std::vector<std::string> row = {node.name, node.unschedulable ? "true" : "false", joined(node.taints, " "),
                                    std::to_string(node.pods.size()), std::to_string(node.allowed_pods)};
    for (const std::string& resource : resources) {
      const auto found = node.resources.find(resource);
      const bool has = found != node.resources.end();
      row.push_back(has ? found->second.allocatable.to_string() : "");
      row.push_back(has ? found->second.requested.to_string() : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace loadline::report
