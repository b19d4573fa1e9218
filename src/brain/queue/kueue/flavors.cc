#include "brain/queue/kueue/flavors.h"

#include <algorithm>

#include "brain/cluster/shapes/shape_compiler.h"

namespace loadline::queue::kueue {
namespace {

using MatchCode = FlavorMatch::Code;

bool keeps_away(kube::TaintEffect effect) {
  return effect == kube::TaintEffect::kNoSchedule || effect == kube::TaintEffect::kNoExecute;
}

}  // namespace

FlavorId Flavors::intern(std::string_view name) {
  const auto [at, is_new] = by_name_.emplace(symbols_.intern(name), FlavorId(flavors_.size()));
  if (is_new) {
    flavors_.emplace_back();
    flavors_.back().name = at->first;
  }
  return at->second;
}

bool Flavors::set(const kube::ResourceFlavor& flavor) {
  Flavor& it = flavors_[intern(flavor.metadata.name).index()];
  const bool takes_others =
      it.object && (it.object->node_labels != flavor.node_labels || it.object->node_taints != flavor.node_taints ||
                    it.object->tolerations != flavor.tolerations);
  it.object = flavor;
  it.labels = cluster::LabelSet(flavor.node_labels, symbols_);
  it.taints = cluster::compile_taints(flavor.node_taints, symbols_);
  it.tolerations = cluster::compile_tolerations(flavor.tolerations, symbols_);
  it.matches.clear();
  return takes_others;
}

void Flavors::remove(std::string_view name) {
  Flavor& it = flavors_[intern(name).index()];
  const Symbol symbol = it.name;
  it = {};
  it.name = symbol;
}

FlavorMatch Flavors::match(FlavorId flavor, ShapeId shape) {
  std::vector<FlavorMatch>& matches = flavors_[flavor.index()].matches;
  if (matches.size() <= shape.index()) matches.resize(shapes_.size());
  FlavorMatch& match = matches[shape.index()];
  if (match.code == MatchCode::kUnknown) match = compute(flavors_[flavor.index()], shapes_.at(shape));
  return match;
}

FlavorMatch Flavors::compute(const Flavor& flavor, const PodShape& shape) const {
  if (!flavor.object) return {MatchCode::kNoFlavor, 0};
  for (std::size_t i = 0; i < flavor.taints.size(); ++i) {
    const cluster::CompiledTaint& taint = flavor.taints[i];
    if (!keeps_away(taint.effect) || cluster::tolerated(shape.tolerations, taint)) continue;
    if (!cluster::tolerated(flavor.tolerations, taint))
      return {MatchCode::kUntoleratedTaint, static_cast<std::uint8_t>(i)};
  }
  return {satisfies(flavor.labels, shape) ? MatchCode::kMatches : MatchCode::kNodeAffinity, 0};
}

bool Flavors::satisfies(const cluster::LabelSet& labels, const PodShape& shape) const {
  const auto is_irrelevant = [&](const cluster::Requirement& it) { return !labels.find(it.key).valid(); };
  const auto holds = [&](const cluster::Requirement& it) { return is_irrelevant(it) || it.matches(labels, symbols_); };
  if (!std::ranges::all_of(shape.node_selector, holds)) return false;
  const bool is_about_others =
      std::ranges::any_of(shape.terms, [&](const auto& term) { return std::ranges::all_of(term, is_irrelevant); });
  if (is_about_others || shape.terms.empty()) return true;
  return std::ranges::any_of(shape.terms, [&](const auto& term) { return std::ranges::all_of(term, holds); });
}

}  // namespace loadline::queue::kueue
