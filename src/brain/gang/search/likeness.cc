#include "brain/gang/search/likeness.h"

#include <algorithm>
#include <set>

#include "brain/cluster/shapes/shape_compiler.h"

namespace loadline::gang {

using cluster::PodId;
using cluster::PodShape;
using cluster::ShapeId;

namespace {

std::vector<std::pair<cluster::ResourceId, std::int64_t>> pairs(const std::vector<cluster::ResourceAmount>& amounts) {
  std::vector<std::pair<cluster::ResourceId, std::int64_t>> result;
  for (const auto& [resource, amount] : amounts) result.emplace_back(resource, amount);
  return result;
}

std::vector<std::pair<cluster::TermId, cluster::TopologyKeyId>> pairs(const std::vector<cluster::AffinityTerm>& terms) {
  std::vector<std::pair<cluster::TermId, cluster::TopologyKeyId>> result;
  for (const cluster::AffinityTerm& term : terms) result.emplace_back(term.term, term.key);
  return result;
}

bool refuses(const kube::TopologySpreadConstraint& constraint) {
  return constraint.when_unsatisfiable == kube::UnsatisfiableAction::kDoNotSchedule;
}

template <class Value>
void sort_out(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Likenesses::Likenesses(cluster::Cluster& cluster, const GroupDemand& demand, bool has_spread_by_default)
    : cluster_(cluster), has_spread_by_default_(has_spread_by_default) {
  std::set<ShapeId> shapes;
  for (const PodId pod : demand.members) shapes.insert(cluster.pod(pod).shape);
  for (const ShapeId id : shapes) {
    const PodShape& shape = cluster.shape(id);
    for (const auto* terms : {&shape.required_affinity, &shape.required_anti_affinity}) {
      for (const cluster::AffinityTerm& term : *terms) terms_.push_back(term.term);
    }
    for (const kube::TopologySpreadConstraint& constraint : shape.spread) {
      if (!refuses(constraint)) continue;
      selectors_.emplace_back(shape.name_space, cluster::spread_selector(constraint, shape.labels, cluster.symbols()));
    }
  }
  sort_out(terms_);
  sort_out(selectors_);
  for (std::size_t p = 0; p < demand.parts.size(); ++p) {
    for (const PodId pod : demand.parts[p].members) parts_[pod].push_back(p);
  }
}

Likeness Likenesses::of(PodId pod) {
  const cluster::PodRecord& record = cluster_.pod(pod);
  auto known = by_shape_.find(record.shape);
  if (known == by_shape_.end()) known = by_shape_.emplace(record.shape, describe(record.shape)).first;
  Likeness likeness = known->second;
  likeness.priority = record.priority;
  if (const auto parts = parts_.find(pod); parts != parts_.end()) likeness.parts = parts->second;
  return likeness;
}

Likeness Likenesses::describe(ShapeId id) const {
  const PodShape& shape = cluster_.shape(id);
  Likeness likeness;
  if (has_spread_by_default_) likeness.shape = id;
  likeness.name_space = shape.name_space;
  likeness.required_node_name = shape.required_node_name;
  likeness.requests = pairs(shape.requests);
  likeness.usage = pairs(shape.usage);
  likeness.node_affinity = shape.node_affinity;
  likeness.candidate_node_names = shape.candidate_node_names;
  likeness.tolerations = shape.tolerations;
  for (const cluster::HostPort& port : shape.host_ports) likeness.ports.emplace_back(port.ip, port.protocol, port.port);
  likeness.affinity = pairs(shape.required_affinity);
  likeness.anti_affinity = pairs(shape.required_anti_affinity);
  for (const kube::TopologySpreadConstraint& constraint : shape.spread) {
    if (!refuses(constraint)) continue;
    likeness.spread.emplace_back(constraint, cluster::spread_selector(constraint, shape.labels, cluster_.symbols()));
  }
  for (const cluster::AffinityTermCountId count : cluster_.matching_affinity_term_counts(id)) {
    const auto kind = cluster_.affinity_term_count(count).spec.kind;
    if (kind == cluster::AffinityTermKind::kRequiredAntiAffinity) likeness.kept_out_by.push_back(count);
  }
  for (const cluster::TermId term : terms_) likeness.seen_by.push_back(cluster_.matches(term, shape));
  for (const auto& [name_space, selector] : selectors_) {
    likeness.seen_by.push_back(name_space == shape.name_space && selector.matches(shape.labels, cluster_.symbols()));
  }
  return likeness;
}

}  // namespace loadline::gang
