#include "brain/cluster/facts/kubelet_rejection.h"

#include <fmt/format.h>

#include <algorithm>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/cluster/shapes/shape_compiler.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"

namespace loadline::cluster {
namespace {

using kube::Quantity;
using kube::ResourceList;

Quantity amount(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? Quantity() : found->second;
}

std::int64_t as_scheduler_counts(std::string_view resource, const Quantity& quantity) {
  return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

std::optional<KubeletRejection> refuse_devices(const ResourceList& requests, const ResourceList& allocatable,
                                               const ResourceList& used) {
  for (const auto& [name, wanted] : requests) {
    if (!kube::is_extended_resource(name) || wanted.is_zero() || !allocatable.contains(name)) continue;
    const Quantity free = amount(allocatable, name) - amount(used, name);
    if (wanted <= free) continue;
    return KubeletRejection{
        "UnexpectedAdmissionError",
        fmt::format("Allocate failed due to requested number of devices unavailable for {}. Requested: {}, "
                    "Available: {}, which is unexpected",
                    name, wanted.value(), std::max<std::int64_t>(free.value(), 0))};
  }
  return std::nullopt;
}

KubeletRejection not_enough(std::string_view resource, std::int64_t requested, std::int64_t used,
                            std::int64_t capacity) {
  return {fmt::format("OutOf{}", resource),
          fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}", resource,
                      requested, used, capacity)};
}

std::optional<KubeletRejection> refuse_amounts(const ResourceList& requests, const ResourceList& allocatable,
                                               const ResourceList& used, std::size_t pods) {
  const std::int64_t most_pods = amount(allocatable, "pods").value();
  if (const auto count = static_cast<std::int64_t>(pods); allocatable.contains("pods") && count + 1 > most_pods) {
    return not_enough("pods", 1, count, most_pods);
  }
  for (const std::string_view name : {"cpu", "memory", "ephemeral-storage"}) {
    const Quantity wanted = amount(requests, name);
    const Quantity capacity = amount(allocatable, name);
    const Quantity taken = amount(used, name);
    if (wanted.is_zero() || wanted <= capacity - taken) continue;
    return not_enough(name, as_scheduler_counts(name, wanted), as_scheduler_counts(name, taken),
                      as_scheduler_counts(name, capacity));
  }
  return std::nullopt;
}

KubeletRejection failed_predicate(std::string_view name, std::string_view why) {
  return {std::string(name), fmt::format("Predicate {} failed: {}", name, why)};
}

bool selects(const kube::PodSpec& spec, const kube::Node& node) {
  const bool has_terms = spec.affinity && spec.affinity->node && spec.affinity->node->required;
  if (spec.node_selector.empty() && !has_terms) return true;
  SymbolTable symbols;
  NodeAffinityRule rule;
  for (const auto& [key, value] : spec.node_selector) {
    rule.node_selector.push_back({symbols.intern(key), kube::NodeSelectorOperator::kIn, {symbols.intern(value)}});
  }
  if (has_terms) {
    rule.has_terms = true;
    rule.terms = compile_node_terms(*spec.affinity->node->required, symbols);
  }
  const LabelSet labels(node.metadata.labels, symbols);
  return matches(rule, labels, symbols.intern(node.metadata.name), symbols);
}

bool is_repelled(const kube::PodSpec& spec, const kube::Node& node) {
  if (node.taints.empty()) return false;
  SymbolTable symbols;
  const auto tolerations = compile_tolerations(spec.tolerations, symbols);
  const auto taints = compile_taints(node.taints, symbols);
  return std::any_of(taints.begin(), taints.end(), [&](const CompiledTaint& taint) {
    return taint.effect == kube::TaintEffect::kNoExecute && !tolerated(tolerations, taint);
  });
}

bool is_everywhere(const std::string& ip) { return ip.empty() || ip == "0.0.0.0"; }

bool collide(const TakenPort& a, const TakenPort& b) {
  const auto& [a_protocol, a_port, a_ip] = a;
  const auto& [b_protocol, b_port, b_ip] = b;
  return a_protocol == b_protocol && a_port == b_port && (a_ip == b_ip || is_everywhere(a_ip) || is_everywhere(b_ip));
}

bool ports_are_taken(const kube::PodSpec& spec, const std::set<TakenPort>& taken) {
  if (taken.empty()) return false;
  return std::ranges::any_of(host_ports(spec), [&](const TakenPort& wanted) {
    return std::ranges::any_of(taken, [&](const TakenPort& one) { return collide(wanted, one); });
  });
}

}  // namespace

std::set<TakenPort> host_ports(const kube::PodSpec& spec) {
  std::set<TakenPort> ports;
  for (const kube::Container& container : spec.containers) {
    for (const kube::ContainerPort& port : container.ports) {
      if (port.host_port > 0) ports.emplace(port.protocol, port.host_port, port.host_ip);
    }
  }
  return ports;
}

std::optional<KubeletRejection> kubelet_rejection(const kube::Pod& pod, const kube::Node& node, const NodeUse& use) {
  const ResourceList requests = kube::pod_requests(*pod.spec, &pod.status, {});
  if (auto rejection = refuse_devices(requests, node.allocatable, use.requests)) return rejection;
  if (auto rejection = refuse_amounts(requests, node.allocatable, use.requests, use.pods)) return rejection;
  if (!selects(*pod.spec, node)) {
    return failed_predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  }
  if (ports_are_taken(*pod.spec, use.ports)) {
    return failed_predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports");
  }
  if (is_repelled(*pod.spec, node)) {
    return failed_predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  }
  return std::nullopt;
}

}  // namespace loadline::cluster
