#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "objects/kube/client.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "simulation/drafts.h"
#include "simulation/pick.h"
#include "simulation/workload.h"

// What users do to nodes.

namespace loadline::simulation {
namespace {

constexpr std::size_t kMostNodes = 8;

}  // namespace

void Workload::add_node() {
  const std::string node = name("node");
  const std::string manifest = draft_node(random_, node);
  create({"", "v1", "nodes"}, manifest);
  node_manifests_[node] = manifest;
}

/// A node may come back under its name before any controller has noticed that it was gone.
std::string Workload::restore_node(const std::string& node) {
  create({"", "v1", "nodes"}, node_manifests_.at(node));
  return "brings back " + node;
}

std::string Workload::change_node() {
  const std::string picked = pick(observer_.nodes(), random_);
  const std::uint64_t way = random_.below(12);
  if (picked.empty() || (way < 3 && observer_.nodes().size() < kMostNodes)) {
    const std::string former = pick(former_nodes_, random_);
    if (!former.empty() && random_.below(2) == 0) return restore_node(former);
    add_node();
    return "adds a node";
  }
  const kube::ResourceReference of{"", "v1", "nodes", "", picked};
  if (way < 4) {
    remove(of, {});
    former_nodes_.emplace(picked, node_manifests_.at(picked));
    if (random_.below(4) != 0) return "removes " + picked;
    restore_node(picked);
    return "replaces " + picked;
  }
  if (way < 5) return random_.below(2) == 0 ? drain(picked) : move(picked);
  if (way < 6) {
    const bool is_cordoned = random_.below(2) == 0;
    patch(of, fmt::format("{{spec: {{unschedulable: {}}}}}", is_cordoned));
    return fmt::format("{} {}", is_cordoned ? "cordons" : "uncordons", picked);
  }
  if (way < 8) {
    static constexpr std::array kTaints = {"[]", "[]", "[{key: sim, effect: NoSchedule}]",
                                           "[{key: sim, effect: NoExecute}]"};
    const std::string taints = kTaints.at(random_.below(kTaints.size()));
    patch(of, fmt::format("{{spec: {{taints: {}}}}}", taints));
    return fmt::format("taints {} with {}", picked, taints);
  }
  if (way < 9) {
    const std::uint64_t cpus = 1 + random_.below(8);
    patch({"", "v1", "nodes", "", picked, "status"},
          fmt::format("{{status: {{capacity: {{cpu: \"{0}\"}}, allocatable: {{cpu: \"{0}\"}}}}}}", cpus));
    return fmt::format("resizes {} to {} CPUs", picked, cpus);
  }
  return trouble_node(picked);
}

std::string Workload::drain(const std::string& node) {
  patch({"", "v1", "nodes", "", node}, "{spec: {unschedulable: true}}");
  std::vector<std::pair<std::string, std::string>> pods;
  for (const auto& [key, pod] : observer_.pods()) {
    if (pod.view.spec->node_name == node) pods.emplace_back(pod.metadata().namespace_, pod.metadata().name);
  }
  for (const auto& [name_space, name] : pods) evict(name_space, name);
  return fmt::format("drains {} of {} pods", node, pods.size());
}

std::string Workload::move(const std::string& node) {
  const std::string zone = fmt::format("zone-{}", random_.below(3));
  patch({"", "v1", "nodes", "", node},
        fmt::format("{{metadata: {{labels: {{topology.kubernetes.io/zone: {}}}}}}}", zone));
  return fmt::format("moves {} to {}", node, zone);
}

std::string Workload::trouble_node(const std::string& node) {
  static constexpr std::array kTroubles = {"unready: \"true\"", "unready: \"true\"", "unready: null",
                                           "unready: null",     "flaky: 40s/20s",    "flaky: 200s/70s",
                                           "slow: \"3\"",       "interruption: 30s"};
  const std::string trouble = kTroubles.at(random_.below(kTroubles.size()));
  patch({"", "v1", "nodes", "", node}, fmt::format("{{metadata: {{annotations: {{loadline.dev/{}}}}}}}", trouble));
  return fmt::format("makes {} {}", node, trouble);
}

void Workload::heal_nodes() {
  for (const auto& [node, object] : observer_.nodes()) {
    patch({"", "v1", "nodes", "", node},
          "{metadata: {annotations: {loadline.dev/unready: null, loadline.dev/flaky: null}}}");
    const bool drives_away = std::ranges::any_of(object.view.taints, [](const kube::Taint& taint) {
      return taint.key == "sim" && taint.effect == kube::TaintEffect::kNoExecute;
    });
    if (drives_away) patch({"", "v1", "nodes", "", node}, "{spec: {taints: [{key: sim, effect: NoSchedule}]}}");
  }
}

}  // namespace loadline::simulation
