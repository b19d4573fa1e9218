#include "brain/cluster/shapes/shape_compiler.h"

#include <algorithm>
#include <string>

#include "objects/kube/pod_resources.h"

namespace loadline::cluster {
namespace {

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = 200 * 1024 * 1024;

/// Requests as the node's sums count them: resized containers count with what was actually granted.
constexpr kube::PodResourcesOptions kBound{.use_status_resources = true, .use_status_pod_level_resources = true};

bool requests_at_pod_level(const kube::PodSpec& spec) {
  if (!spec.resources) return false;
  const kube::ResourceList& requests = spec.resources->requests;
  return std::any_of(requests.begin(), requests.end(),
                     [](const auto& entry) { return kube::is_supported_pod_level_resource(entry.first); });
}

std::int64_t amount_of(const kube::ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  if (found == list.end()) return 0;
  return name == "cpu" ? found->second.milli_value() : found->second.value();
}

void compile_resources(const kube::Pod& pod, Cluster& cluster, PodShape& shape) {
  const kube::ResourceList fallback = {{"cpu", kube::Quantity::of_milli(kDefaultMilliCpu)},
                                       {"memory", kube::Quantity::of(kDefaultMemory)}};
  const kube::PodSpec& spec = *pod.spec;
  shape.requests = cluster.resources().amounts(kube::pod_requests(spec, &pod.status, {}));
  const kube::ResourceList bound = kube::pod_requests(spec, &pod.status, kBound);
  shape.usage = cluster.resources().amounts(bound);
  shape.requests_list = bound;

  // Pod-level requests stand for all containers; only what they leave open is filled in per container.
  kube::ResourceList missing = fallback;
  if (requests_at_pod_level(spec)) {
    std::erase_if(missing, [&](const auto& entry) { return bound.contains(entry.first); });
  }
  kube::PodResourcesOptions nonzero = kBound;
  nonzero.non_missing_container_requests = &missing;
  const kube::ResourceList filled = missing.empty() ? bound : kube::pod_requests(spec, &pod.status, nonzero);
  shape.nonzero_cpu = amount_of(filled, "cpu");
  shape.nonzero_memory = amount_of(filled, "memory");

  const kube::PodResourcesOptions scored{.non_missing_container_requests = &fallback, .skip_pod_level_resources = true};
  shape.container_nonzero_list = kube::pod_requests(spec, &pod.status, scored);
}

void compile_candidate_names(const kube::NodeSelector& required, SymbolTable& symbols, PodShape& shape) {
  if (required.terms.empty()) return;
  std::vector<Symbol> all;
  for (const kube::NodeSelectorTerm& term : required.terms) {
    std::optional<std::vector<Symbol>> names;
    for (const kube::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key != "metadata.name" || field.op != kube::NodeSelectorOperator::kIn) continue;
      std::vector<Symbol> values;
      values.reserve(field.values.size());
      for (const std::string& value : field.values) values.push_back(symbols.intern(value));
      if (!names) {
        names = values;
      } else {
        std::erase_if(*names,
                      [&](Symbol name) { return std::find(values.begin(), values.end(), name) == values.end(); });
      }
    }
    if (!names) return;  // this term is open to every node
    all.insert(all.end(), names->begin(), names->end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  shape.candidate_node_names = std::move(all);
}

void compile_node_affinity(const kube::PodSpec& spec, SymbolTable& symbols, PodShape& shape) {
  for (const auto& [key, value] : spec.node_selector) {
    Requirement requirement;
    requirement.key = symbols.intern(key);
    requirement.values = {symbols.intern(value)};
    shape.node_affinity.node_selector.push_back(std::move(requirement));
  }
  if (!spec.affinity || !spec.affinity->node) return;
  const kube::NodeAffinity& affinity = *spec.affinity->node;
  if (affinity.required) {
    shape.node_affinity.has_terms = true;
    shape.node_affinity.terms = compile_node_terms(*affinity.required, symbols);
    compile_candidate_names(*affinity.required, symbols, shape);
  }
  shape.preferred_node_affinity = compile_preferred(affinity.preferred, symbols);
}

AffinityTerm compile_term(const kube::PodAffinityTerm& term, std::int32_t weight, const PodShape& shape,
                          Cluster& cluster) {
  PodTerm compiled;
  SymbolTable& symbols = cluster.symbols();
  for (const std::string& name : term.namespaces) compiled.namespaces.push_back(symbols.intern(name));
  if (term.namespaces.empty() && !term.namespace_selector) compiled.namespaces.push_back(shape.name_space);
  std::sort(compiled.namespaces.begin(), compiled.namespaces.end());
  compiled.namespace_selector = PodSelector::of(term.namespace_selector, symbols);
  compiled.selector = PodSelector::of(term.label_selector, symbols);
  return {cluster.intern(compiled), cluster.intern_topology_key(symbols.intern(term.topology_key)), weight};
}

void compile_pod_affinity(const kube::PodAffinity& affinity, Cluster& cluster, const PodShape& shape,
                          std::vector<AffinityTerm>& required, std::vector<AffinityTerm>& preferred) {
  for (const auto& term : affinity.required) required.push_back(compile_term(term, 0, shape, cluster));
  for (const auto& weighted : affinity.preferred) {
    preferred.push_back(compile_term(weighted.term, weighted.weight, shape, cluster));
  }
}

void compile_ports_and_images(const kube::PodSpec& spec, SymbolTable& symbols, PodShape& shape) {
  const auto add_ports = [&](const kube::Container& container) {
    for (const kube::ContainerPort& port : container.ports) {
      if (port.host_port <= 0) continue;
      const std::string_view ip = port.host_ip.empty() ? std::string_view("0.0.0.0") : std::string_view(port.host_ip);
      shape.host_ports.push_back({symbols.intern(ip), port.protocol, port.host_port});
    }
  };
  for (const kube::Container& container : spec.containers) add_ports(container);
  for (const kube::Container& container : spec.init_containers) {
    if (container.restartable_init()) add_ports(container);  // other init containers are done before ports matter
  }
  const auto add_image = [&](const std::string& name) {
    shape.images.push_back(symbols.intern(normalized_image(name)));
  };
  for (const kube::Container& container : spec.init_containers) add_image(container.image);
  for (const kube::Container& container : spec.containers) add_image(container.image);
  for (const kube::Volume& volume : spec.volumes) {
    if (!volume.image_reference.empty()) add_image(volume.image_reference);
  }
  shape.container_count = spec.init_containers.size() + spec.containers.size();
}

}  // namespace

std::string normalized_image(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  const std::size_t slash = name.rfind('/');
  const auto position = [](std::size_t at) {
    return at == std::string_view::npos ? -1 : static_cast<std::int64_t>(at);
  };
  std::string normalized(name);
  if (position(colon) <= position(slash)) normalized += ":latest";
  return normalized;
}

std::vector<CompiledTaint> compile_taints(const std::vector<kube::Taint>& taints, SymbolTable& symbols) {
  std::vector<CompiledTaint> compiled;
  compiled.reserve(taints.size());
  for (const kube::Taint& taint : taints) {
    compiled.push_back({symbols.intern(taint.key), symbols.intern(taint.value), taint.effect, taint.time_added});
  }
  return compiled;
}

std::vector<CompiledToleration> compile_tolerations(const std::vector<kube::Toleration>& tolerations,
                                                    SymbolTable& symbols) {
  std::vector<CompiledToleration> compiled;
  compiled.reserve(tolerations.size());
  for (const kube::Toleration& toleration : tolerations) {
    compiled.push_back({symbols.intern(toleration.key), toleration.op, symbols.intern(toleration.value),
                        toleration.effect, toleration.toleration_seconds});
  }
  return compiled;
}

PodSelector spread_selector(const kube::TopologySpreadConstraint& constraint, const LabelSet& labels,
                            SymbolTable& symbols) {
  PodSelector selector = PodSelector::of(constraint.label_selector, symbols);
  kube::StringMap merged;
  for (const std::string& key : constraint.match_label_keys) {
    const Symbol value = labels.find(symbols.intern(key));
    if (value.valid()) merged.emplace(key, symbols.text(value));
  }
  if (!merged.empty()) selector.add(PodSelector::of_labels(merged, symbols));
  return selector;
}

std::unique_ptr<PodShape> compile_shape(const kube::Pod& pod, Cluster& cluster) {
  auto shape = std::make_unique<PodShape>();
  SymbolTable& symbols = cluster.symbols();
  const kube::PodSpec& spec = *pod.spec;
  shape->name_space = symbols.intern(pod.metadata.namespace_);
  shape->labels = LabelSet(pod.metadata.labels, symbols);
  shape->scheduler_name = symbols.intern(spec.scheduler_name);
  if (!spec.node_name.empty()) shape->required_node_name = symbols.intern(spec.node_name);
  compile_resources(pod, cluster, *shape);
  compile_node_affinity(spec, symbols, *shape);
  shape->tolerations = compile_tolerations(spec.tolerations, symbols);
  compile_ports_and_images(spec, symbols, *shape);
  if (spec.affinity && spec.affinity->pod) {
    compile_pod_affinity(*spec.affinity->pod, cluster, *shape, shape->required_affinity, shape->preferred_affinity);
  }
  if (spec.affinity && spec.affinity->pod_anti) {
    compile_pod_affinity(*spec.affinity->pod_anti, cluster, *shape, shape->required_anti_affinity,
                         shape->preferred_anti_affinity);
  }
  shape->spread = spec.topology_spread_constraints;
  if (const kube::OwnerReference* controller = pod.metadata.controller()) shape->controller = *controller;
  shape->spec = pod.spec;
  return shape;
}

}  // namespace loadline::cluster
