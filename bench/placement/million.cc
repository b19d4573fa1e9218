#include "bench/placement/million.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

namespace loadline::bench {
namespace {

constexpr std::size_t kNodes = 100'000;
constexpr std::size_t kTemplates = 1'000;
constexpr std::size_t kPods = 1'000'000;

constexpr std::array<std::string_view, 7> kCpu = {"50m", "100m", "100m", "150m", "200m", "250m", "500m"};
constexpr std::array<std::string_view, 9> kMemory = {"64Mi",  "128Mi", "256Mi", "512Mi", "512Mi",
                                                     "768Mi", "1Gi",   "2Gi",   "4Gi"};

kube::Quantity quantity(std::string_view text) { return kube::Quantity::parse(text).value(); }

NodeGroup nodes(std::size_t count, std::string name) {
  NodeGroup group;
  group.count = count;
  group.node.metadata.generate_name = std::move(name);
  group.node.allocatable = {{"cpu", quantity("4")}, {"memory", quantity("32Gi")}, {"pods", quantity("110")}};
  group.labels["topology.kubernetes.io/zone"] = {"zone1", "zone2", "zone3"};
  return group;
}

std::vector<NodeGroup> cluster() {
  NodeGroup batch = nodes(kNodes / 10, "batch-");
  batch.labels["pool"] = {"batch"};
  NodeGroup dedicated = nodes(kNodes / 20, "dedicated-");
  dedicated.node.taints.push_back({"dedicated", "", kube::TaintEffect::kNoSchedule, {}});
  NodeGroup general = nodes(kNodes - batch.count - dedicated.count, "node-");
  return {std::move(general), std::move(batch), std::move(dedicated)};
}

kube::LabelSelector own_kind(const std::string& app) {
  kube::LabelSelector selector;
  selector.match_labels["app"] = app;
  return selector;
}

kube::Affinity prefer_own_template(const std::string& app) {
  kube::WeightedPodAffinityTerm preference;
  preference.weight = 10;
  preference.term.label_selector = own_kind(app);
  preference.term.topology_key = "topology.kubernetes.io/zone";
  kube::Affinity affinity;
  affinity.pod.emplace().preferred.push_back(std::move(preference));
  return affinity;
}

kube::TopologySpreadConstraint prefer_spread(const std::string& app) {
  kube::TopologySpreadConstraint constraint;
  constraint.topology_key = "topology.kubernetes.io/zone";
  constraint.when_unsatisfiable = kube::UnsatisfiableAction::kScheduleAnyway;
  constraint.label_selector = own_kind(app);
  return constraint;
}

void constrain(kube::PodSpec& spec, std::size_t number, const std::string& app) {
  const std::size_t in_hundred = number % 100;
  if (in_hundred < 10) {
    spec.node_selector["pool"] = "batch";
  } else if (in_hundred < 15) {
    spec.tolerations.push_back(
        {"dedicated", kube::TolerationOperator::kExists, "", kube::TaintEffect::kNoSchedule, {}});
  } else if (in_hundred < 18) {
    spec.affinity = prefer_own_template(app);
  } else if (in_hundred < 21) {
    spec.topology_spread_constraints.push_back(prefer_spread(app));
  }
}

kube::Pod pod_template(std::size_t number) {
  const std::string app = fmt::format("app-{}", number);
  kube::Pod pod;
  pod.metadata.namespace_ = "default";
  pod.metadata.generate_name = app + '-';
  pod.metadata.labels["app"] = app;
  kube::Container container;
  container.name = "main";
  container.resources.requests = {{"cpu", quantity(kCpu[number % kCpu.size()])},
                                  {"memory", quantity(kMemory[number % kMemory.size()])}};
  kube::PodSpec spec;
  spec.containers.push_back(std::move(container));
  spec.priority = 0;
  constrain(spec, number, app);
  pod.spec = std::make_shared<const kube::PodSpec>(std::move(spec));
  return pod;
}

}  // namespace

Workload million(bool interleave) {
  Workload workload;
  workload.name = interleave ? "ScaleMillionInterleaved" : "ScaleMillionByTemplate";
  workload.size = "100000Nodes_1000000Pods_1000Templates";
  workload.interleave = interleave;
  workload.nodes = cluster();
  for (std::size_t i = 0; i < kTemplates; ++i) workload.measure.push_back({kPods / kTemplates, pod_template(i)});
  return workload;
}

}  // namespace loadline::bench
