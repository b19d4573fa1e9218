#include "plan_vs_live/scenario.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/base/rng.h"

namespace loadline::plan_vs_live {
namespace {

constexpr std::uint64_t kShortestGrace = 2;

class Author {
 public:
  explicit Author(std::uint64_t seed) : rng_(seed) {}

  Scenario write() {
    add_surroundings();
    const std::uint64_t nodes = 1 + below(6);
    for (std::uint64_t i = 0; i < nodes; ++i) add_node("n" + std::to_string(i));
    const std::uint64_t running = below(14);
    for (std::uint64_t i = 0; i < running; ++i) {
      const std::string node = fmt::format(", nodeName: n{}", below(nodes));
      scenario_.running.push_back(pod(fmt::format("r{:02}", i), node));
    }
    const std::uint64_t arrivals = 1 + below(14);
    for (std::uint64_t i = 0; i < arrivals; ++i) {
      std::string more;
      if (one_in(12)) more += ", schedulingGates: [{name: example.com/wait}]";
      if (one_in(12)) more += ", schedulerName: another";
      scenario_.arrivals.push_back(pod(fmt::format("{}{:02}", one_in(2) ? "a" : "s", i), more));
    }
    return std::move(scenario_);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }
  bool one_in(std::uint64_t many) { return below(many) == 0; }
  const char* app() { return one_in(2) ? "web" : "db"; }
  const char* key() { return one_in(2) ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname"; }

  void add_surroundings() {
    for (const auto& [name, value] : {std::pair("low", 10), std::pair("middle", 50), std::pair("high", 100)}) {
      scenario_.surroundings.push_back(fmt::format(
          "{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {}}}, value: {}}}", name, value));
    }
    scenario_.surroundings.push_back(
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: polite}, value: 60, "
        "preemptionPolicy: Never}");
    if (one_in(2)) {
      scenario_.surroundings.push_back(
          "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {selector: {app: web}, "
          "ports: [{port: 80}]}}");
    }
    if (one_in(3)) {
      scenario_.surroundings.push_back(
          fmt::format("{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: b, namespace: default}}, "
                      "spec: {{maxUnavailable: {}, selector: {{matchLabels: {{app: {}}}}}}}}}",
                      below(2), app()));
    }
  }

  void add_node(const std::string& name) {
    std::string spec;
    if (one_in(8)) spec += "unschedulable: true, ";
    if (one_in(4)) {
      spec += fmt::format("taints: [{{key: dedicated, value: gpu, effect: {}}}], ",
                          one_in(2) ? "NoSchedule" : "PreferNoSchedule");
    }
    const std::string amounts = fmt::format("{{cpu: \"{}\", memory: {}Gi, pods: \"{}\", nvidia.com/gpu: \"{}\"}}",
                                            2 + below(5), 4 + below(8), one_in(6) ? 3 : 110, one_in(3) ? 2 : 0);
    const std::string zone =
        one_in(8) ? std::string() : fmt::format(", topology.kubernetes.io/zone: {}", one_in(2) ? "a" : "b");
    scenario_.nodes.push_back(fmt::format(
        "{{apiVersion: v1, kind: Node, metadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}{1}}}}}, spec: "
        "{{{2}}}, status: {{capacity: {3}, allocatable: {3}, conditions: [{{type: Ready, status: \"True\"}}]}}}}",
        name, zone, spec, amounts));
  }

  std::string terms() {
    return fmt::format("[{{topologyKey: {}, labelSelector: {{matchLabels: {{app: {}}}}}}}]", key(), app());
  }

  std::string affinity() {
    std::string parts;
    if (one_in(8))
      parts += fmt::format("podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {}}}, ", terms());
    if (one_in(7)) {
      parts += fmt::format("podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {}}}, ", terms());
    } else if (one_in(8)) {
      parts += fmt::format(
          "podAntiAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: [{{weight: 5, podAffinityTerm: "
          "{{topologyKey: {}, labelSelector: {{matchLabels: {{app: {}}}}}}}}}]}}, ",
          key(), app());
    }
    if (one_in(8)) {
      parts += fmt::format(
          "nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: "
          "[{{key: topology.kubernetes.io/zone, operator: In, values: [{}]}}]}}]}}}}, ",
          one_in(2) ? "a" : "b");
    }
    return parts.empty() ? parts : fmt::format(", affinity: {{{}}}", parts);
  }

  std::string pod(const std::string& name, const std::string& more) {
    std::string requests = fmt::format("cpu: \"{}\"", below(4));
    if (one_in(3)) requests += fmt::format(", memory: {}Gi", 1 + below(4));
    std::string limits = one_in(5) ? ", limits: {nvidia.com/gpu: 1}" : "";
    std::string ports = one_in(7) ? fmt::format(", ports: [{{containerPort: 80, hostPort: {}}}]", 80 + below(2)) : "";
    constexpr const char* kClasses[] = {"", ", priorityClassName: low", ", priorityClassName: middle",
                                        ", priorityClassName: high", ", priorityClassName: polite"};
    std::string spec = kClasses[below(5)] + affinity();
    if (one_in(4)) spec += ", tolerations: [{key: dedicated, operator: Exists}]";
    if (one_in(6)) {
      spec += fmt::format(
          ", topologySpreadConstraints: [{{maxSkew: {}, topologyKey: {}, whenUnsatisfiable: {}, labelSelector: "
          "{{matchLabels: {{app: {}}}}}}}]",
          1 + below(2), key(), one_in(3) ? "ScheduleAnyway" : "DoNotSchedule", app());
    }
    return fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: default, labels: {{app: {}}}, annotations: "
        "{{loadline.dev/stop-time: 1h}}}}, spec: {{terminationGracePeriodSeconds: {}, containers: [{{name: c, image: "
        "app{}, resources: {{requests: {{{}}}{}}}}}]{}{}}}}}",
        name, app(), kShortestGrace + pods_++, ports, requests, limits, spec, more);
  }

  Rng rng_;
  Scenario scenario_;
  std::uint64_t pods_ = 0;
};

}  // namespace

Scenario make_scenario(std::uint64_t seed) { return Author(seed).write(); }

}  // namespace loadline::plan_vs_live
