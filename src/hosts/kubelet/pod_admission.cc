#include "hosts/kubelet/pod_admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "brain/cluster/labels.h"
#include "brain/cluster/shape.h"
#include "brain/cluster/shape_compiler.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"

namespace loadline::kubelet {
namespace {

using controllers::Observed;
using kube::Quantity;
using kube::ResourceList;

ResourceList requests_of(const kube::Pod& pod) { return kube::pod_requests(*pod.spec, &pod.status, {}); }

Quantity amount(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? Quantity() : found->second;
}

std::int64_t as_scheduler_counts(std::string_view resource, const Quantity& quantity) {
  return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

std::optional<PodAdmitRejection> refuse_devices(const ResourceList& requests, const ResourceList& allocatable,
                                                const ResourceList& used) {
  for (const auto& [name, wanted] : requests) {
    if (!kube::is_extended_resource(name) || wanted.is_zero() || !allocatable.contains(name)) continue;
    const Quantity free = amount(allocatable, name) - amount(used, name);
    if (wanted <= free) continue;
    return PodAdmitRejection{
        "UnexpectedAdmissionError",
        fmt::format("Allocate failed due to requested number of devices unavailable for {}. Requested: {}, "
                    "Available: {}, which is unexpected",
                    name, wanted.value(), std::max<std::int64_t>(free.value(), 0))};
  }
  return std::nullopt;
}

PodAdmitRejection not_enough(std::string_view resource, std::int64_t requested, std::int64_t used,
                             std::int64_t capacity) {
  return {fmt::format("OutOf{}", resource),
          fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}", resource,
                      requested, used, capacity)};
}

std::optional<PodAdmitRejection> refuse_amounts(const ResourceList& requests, const ResourceList& allocatable,
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

PodAdmitRejection failed_predicate(std::string_view name, std::string_view why) {
  return {std::string(name), fmt::format("Predicate {} failed: {}", name, why)};
}

bool selects(const kube::PodSpec& spec, const kube::Node& node) {
  const bool has_terms = spec.affinity && spec.affinity->node && spec.affinity->node->required;
  if (spec.node_selector.empty() && !has_terms) return true;
  SymbolTable symbols;
  cluster::NodeAffinityRule rule;
  for (const auto& [key, value] : spec.node_selector) {
    rule.node_selector.push_back({symbols.intern(key), kube::NodeSelectorOperator::kIn, {symbols.intern(value)}});
  }
  if (has_terms) {
    rule.has_terms = true;
    rule.terms = cluster::compile_node_terms(*spec.affinity->node->required, symbols);
  }
  const cluster::LabelSet labels(node.metadata.labels, symbols);
  return cluster::matches(rule, labels, symbols.intern(node.metadata.name), symbols);
}

bool is_repelled(const kube::PodSpec& spec, const kube::Node& node) {
  if (node.taints.empty()) return false;
  SymbolTable symbols;
  const auto tolerations = cluster::compile_tolerations(spec.tolerations, symbols);
  const auto taints = cluster::compile_taints(node.taints, symbols);
  return std::any_of(taints.begin(), taints.end(), [&](const cluster::CompiledTaint& taint) {
    return taint.effect == kube::TaintEffect::kNoExecute && !cluster::tolerated(tolerations, taint);
  });
}

using HostPort = std::tuple<kube::Protocol, std::int32_t, std::string>;

std::set<HostPort> host_ports(const kube::PodSpec& spec) {
  std::set<HostPort> ports;
  for (const kube::Container& container : spec.containers) {
    for (const kube::ContainerPort& port : container.ports) {
      if (port.host_port > 0) ports.emplace(port.protocol, port.host_port, port.host_ip);
    }
  }
  return ports;
}

bool is_everywhere(const std::string& ip) { return ip.empty() || ip == "0.0.0.0"; }

bool collide(const HostPort& a, const HostPort& b) {
  const auto& [a_protocol, a_port, a_ip] = a;
  const auto& [b_protocol, b_port, b_ip] = b;
  return a_protocol == b_protocol && a_port == b_port && (a_ip == b_ip || is_everywhere(a_ip) || is_everywhere(b_ip));
}

bool ports_are_taken(const Observed<kube::Pod>& pod, const controllers::Caches& caches) {
  const std::set<HostPort> wanted = host_ports(*pod.view.spec);
  if (wanted.empty()) return false;
  for (const auto& [key, other] : caches.pods_on(pod.view.spec->node_name)) {
    const bool counts =
        other->metadata().uid != pod.metadata().uid && !other->view.finished() && other->view.status.start_time;
    if (!counts) continue;
    for (const HostPort& taken : host_ports(*other->view.spec)) {
      if (std::any_of(wanted.begin(), wanted.end(), [&](const HostPort& one) { return collide(one, taken); }))
        return true;
    }
  }
  return false;
}

}  // namespace

PodAdmission::Held& PodAdmission::held_on(const std::string& node, const controllers::Caches& caches,
                                          const std::string& but_for_uid) {
  const auto [at, is_new] = nodes_.try_emplace(node);
  if (is_new) {
    for (const auto& [key, pod] : caches.pods_on(node)) {
      const bool was_taken = pod->view.status.start_time && !pod->view.finished();
      if (was_taken && pod->metadata().uid != but_for_uid) add(at->second, *pod);
    }
  }
  return at->second;
}

std::optional<PodAdmitRejection> PodAdmission::admit(const Observed<kube::Node>& node, const Observed<kube::Pod>& pod,
                                                     const controllers::Caches& caches) {
  Held& held = held_on(node.metadata().name, caches, pod.metadata().uid);
  const ResourceList requests = requests_of(pod.view);
  const ResourceList& allocatable = node.view.allocatable;
  if (auto refusal = refuse_devices(requests, allocatable, held.sum)) return refusal;
  if (auto refusal = refuse_amounts(requests, allocatable, held.sum, held.by_uid.size())) return refusal;
  if (!selects(*pod.view.spec, node.view)) {
    return failed_predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  }
  if (ports_are_taken(pod, caches)) {
    return failed_predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports");
  }
  if (is_repelled(*pod.view.spec, node.view)) {
    return failed_predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  }
  add(held, pod);
  return std::nullopt;
}

void PodAdmission::hold(const Observed<kube::Pod>& pod, const controllers::Caches& caches) {
  add(held_on(pod.view.spec->node_name, caches, pod.metadata().uid), pod);
}

void PodAdmission::resize(const Observed<kube::Pod>& pod) {
  const auto found = nodes_.find(pod.view.spec->node_name);
  if (found == nodes_.end() || !found->second.by_uid.contains(pod.metadata().uid)) return;
  release(found->first, pod.metadata().uid);
  add(found->second, pod);
}

void PodAdmission::add(Held& held, const Observed<kube::Pod>& pod) {
  const auto [at, is_new] = held.by_uid.try_emplace(pod.metadata().uid, requests_of(pod.view));
  if (is_new) kube::add_resources(held.sum, at->second);
}

void PodAdmission::release(const std::string& node, const std::string& uid) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  const auto pod = found->second.by_uid.find(uid);
  if (pod == found->second.by_uid.end()) return;
  for (const auto& [name, quantity] : pod->second) found->second.sum[name] -= quantity;
  found->second.by_uid.erase(pod);
}

}  // namespace loadline::kubelet
