#include "hosts/advice/lint/gpu_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/text.h"
#include "hosts/advice/lint/pod_fields.h"
#include "hosts/advice/lint/wording.h"
#include "hosts/advice/taints.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/schema.h"

namespace loadline::advice::lint {
namespace {

std::string gpu_resource_of(const kube::Node& node) {
  for (const auto& [name, amount] : node.allocatable) {
    if (kube::is_gpu_resource(name) && amount.sign() > 0) return name;
  }
  return "";
}

bool mentions(const JudgedWorkload& workload, std::string_view word) {
  const auto in_image = [&](const kube::Container& container) {
    return container.image.find(word) != std::string::npos || container.name.find(word) != std::string::npos;
  };
  return workload.metadata->name.find(word) != std::string::npos ||
         std::ranges::any_of(workload.written->containers, in_image);
}

bool is_device_plugin(const JudgedWorkload& workload) { return workload.daemon && mentions(workload, "device-plugin"); }

/// A daemon that GPUs, or their monitoring, depend on.
bool serves_gpus(const JudgedWorkload& workload) {
  static constexpr std::array<std::string_view, 4> kWords = {"nvidia", "dcgm", "gpu", "device-plugin"};
  return workload.daemon &&
         std::ranges::any_of(kWords, [&](std::string_view word) { return mentions(workload, word); });
}

}  // namespace

void check_untainted_gpu_nodes(const LintInput& input, Findings& findings) {
  std::map<std::string, std::vector<const kube::Node*>> open;  // by resource
  bool others = false;
  for (const kube::Node& node : input.nodes()) {
    const std::string resource = gpu_resource_of(node);
    others |= resource.empty();
    if (resource.empty() || std::ranges::any_of(node.taints, keeps_out)) continue;
    if (input.judges(node.metadata)) open[resource].push_back(&node);
  }
  if (!others) return;
  for (const auto& [resource, nodes] : open) {
    std::vector<std::string> names;
    for (const kube::Node* node : nodes) names.push_back(node->metadata.name);
    findings.add(
        "Node " + names.front(), nodes.front()->metadata.source, "spec.taints",
        fmt::format("nothing keeps pods without GPUs off {} with {}: {}", counted(nodes.size(), "node"), resource,
                    listed(names)),
        fmt::format("taint them {}=present:NoSchedule; pods that ask for GPUs then need a toleration", resource));
  }
}

void check_gpu_daemons(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.fit || !serves_gpus(workload)) continue;
    std::vector<std::string> missed;
    const kube::Taint* repelling = nullptr;
    for (const std::size_t number : workload.fit->selected) {
      const kube::Node& node = input.nodes()[number];
      if (!has_gpus(node)) continue;
      const auto taint = std::ranges::find_if(
          node.taints, [&](const kube::Taint& each) { return keeps_out(each) && !tolerates(workload, each); });
      if (taint == node.taints.end()) continue;
      missed.push_back(node.metadata.name);
      repelling = &*taint;
    }
    if (missed.empty() || workload.fit->takers.empty()) continue;
    findings.add(workload.subject(), workload.metadata->source, workload.path("tolerations"),
                 fmt::format("gets no pod on {} that have GPUs and the taint {}: {}", counted(missed.size(), "node"),
                             repelling->key, listed(missed)),
                 fmt::format("add a toleration: {{key: {}, operator: Exists, effect: {}}}", repelling->key,
                             kube::name_of(repelling->effect)));
  }
}

void check_device_plugin_priority(const LintInput& input, Findings& findings) {
  const JudgedWorkload* user = nullptr;
  for (const JudgedWorkload& workload : input.workloads()) {
    if (workload.daemon || gpus_asked(*workload.pod.spec).empty()) continue;
    if (user == nullptr || workload.priority() > user->priority()) user = &workload;
  }
  if (user == nullptr) return;
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged || !is_device_plugin(workload) || workload.priority_rejection) continue;
    if (workload.priority() >= user->priority()) continue;
    findings.add(workload.subject(), workload.metadata->source, workload.path("priorityClassName"),
                 fmt::format("has priority {}, and {}, which needs the devices that it offers, has {}: its pods may be "
                             "preempted by those they serve",
                             workload.priority(), user->subject(), user->priority()),
                 "write priorityClassName: system-node-critical");
  }
}

}  // namespace loadline::advice::lint
