#include "brain/queue/kueue/pod_shapes.h"

#include <algorithm>
#include <string_view>

#include "brain/cluster/shapes/shape_compiler.h"
#include "objects/kube/pod_resources.h"

namespace loadline::queue::kueue {
namespace {

/// In nano units, exactly as far as an int64 of whole ones reaches; Kueue multiplies decimals of any length.
kube::Quantity product(const kube::Quantity& value, const kube::Quantity& factor) {
  if (factor.is_whole()) return value.times(factor.value());
  if (value.is_whole()) return factor.times(value.value());
  return kube::Quantity::of_milli(value.times(factor.milli_value()).value(), value.format());
}

const kube::ResourceTransformation* find(const kube::KueueResources& resources, std::string_view input) {
  const auto found = std::ranges::find(resources.transformations, input, &kube::ResourceTransformation::input);
  return found == resources.transformations.end() ? nullptr : &*found;
}

/// What transformations make of the input replaces it or comes to it. Outputs of several inputs add up, negative ones
/// with them, but the sum takes nothing away from what was asked for.
kube::ResourceList transformed(const kube::ResourceList& input, const kube::KueueResources& resources) {
  kube::ResourceList kept;
  kube::ResourceList made;
  for (const auto& [name, amount] : input) {
    const kube::ResourceTransformation* rule = find(resources, name);
    if (rule == nullptr || rule->strategy == kube::TransformationStrategy::kRetain) kept[name] = amount;
    if (rule == nullptr) continue;
    const auto multiplier = input.find(rule->multiply_by);
    const kube::Quantity base = multiplier == input.end() ? amount : product(amount, multiplier->second);
    for (const auto& [output, factor] : rule->outputs) made[output] += product(base, factor);
  }
  for (const auto& [name, amount] : made) {
    if (amount.sign() > 0) kept[name] += amount;
    if (amount.sign() <= 0) kept.try_emplace(name);
  }
  return kept;
}

}  // namespace

ShapeId PodShapes::intern(const std::shared_ptr<const kube::PodSpec>& spec) {
  if (spec == last_) return last_shape_;
  const auto [at, is_new] = by_key_.emplace(shape_key(*spec), ShapeId(shapes_.size()));
  if (is_new) shapes_.push_back(compile(*spec));
  last_ = spec;
  last_shape_ = at->second;
  return at->second;
}

kube::ResourceList PodShapes::counted(const kube::PodSpec& spec) const {
  kube::ResourceList amounts = kube::pod_requests(spec, nullptr, {});
  std::erase_if(amounts, [this](const auto& it) {
    return std::ranges::any_of(resources_.exclude_resource_prefixes,
                               [&](const std::string& prefix) { return it.first.starts_with(prefix); });
  });
  return resources_.transformations.empty() ? amounts : transformed(amounts, resources_);
}

PodShape PodShapes::compile(const kube::PodSpec& spec) {
  PodShape shape;
  for (const auto& [name, amount] : counted(spec)) {
    const std::int64_t value = name == "cpu" ? amount.milli_value() : amount.value();
    shape.requests.push_back({symbols_.intern(name), std::max<std::int64_t>(value, 0)});
  }
  for (const auto& [key, value] : spec.node_selector) {
    shape.node_selector.push_back(
        {symbols_.intern(key), kube::NodeSelectorOperator::kIn, {symbols_.intern(value)}, 0, true});
  }
  shape.tolerations = cluster::compile_tolerations(spec.tolerations, symbols_);
  if (!spec.affinity || !spec.affinity->node || !spec.affinity->node->required) return shape;
  for (const kube::NodeSelectorTerm& term : spec.affinity->node->required->terms) {
    shape.terms.push_back(cluster::compile_node_term({term.match_expressions, {}}, symbols_).labels);
  }
  return shape;
}

}  // namespace loadline::queue::kueue
