#include "brain/cluster/shapes/shapes.h"

#include <functional>
#include <utility>

namespace loadline::cluster {
namespace {

/// So many keys of specs are remembered at most.
constexpr std::size_t kMostSpecs = 4096;

}  // namespace

void Shapes::forget_unshared_specs() {
  std::erase_if(spec_keys_, [](const auto& entry) { return entry.second.spec.use_count() == 1; });
}

const std::string& Shapes::key_of(const kube::Pod& pod, NodeNamePart node_name) {
  key_.clear();
  append_pod_key(key_, pod);
  // Keys that are remembered have the node's name; and with a spec that is not shared no other pod will come.
  const bool leaves_name_out = node_name == NodeNamePart::kLeftOut && !pod.spec->node_name.empty();
  if (leaves_name_out || pod.spec.use_count() == 1) {
    append_spec_key(key_, *pod.spec, node_name);
  } else {
    append_known_spec_key(pod.spec);
  }
  return key_;
}

void Shapes::append_known_spec_key(const std::shared_ptr<const kube::PodSpec>& spec) {
  if (spec_keys_.size() >= kMostSpecs && !spec_keys_.contains(spec.get())) {
    forget_unshared_specs();
    if (spec_keys_.size() > kMostSpecs / 2) spec_keys_.clear();
  }
  SpecMemo& memo = spec_keys_[spec.get()];
  if (!memo.spec) memo = {spec, spec_key(*spec)};
  key_ += memo.key;
}

ShapeId Shapes::find(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? ShapeId{} : found->second;
}

ShapeId Shapes::add(const std::string& key, std::unique_ptr<const PodShape> shape) {
  const ShapeId id = unused_.take(shapes_.size());
  if (id.index() == shapes_.size()) {
    shapes_.emplace_back();
    keys_.emplace_back();
    pods_.emplace_back();
  }
  for (const Label& label : shape->labels.pairs()) {
    std::vector<ShapeId>& listed = by_label_[label];
    listed.insert(std::ranges::lower_bound(listed, id), id);
  }
  keys_[id.index()] = &by_key_.emplace(key, id).first->first;
  shapes_[id.index()] = std::move(shape);
  ++idle_;  // until a pod takes it
  return id;
}

std::size_t Shapes::LabelHash::operator()(const Label& label) const {
  const std::size_t key = std::hash<Symbol>()(label.first);
  return key * 0x9E3779B97F4A7C15ULL + std::hash<Symbol>()(label.second);
}

std::span<const ShapeId> Shapes::with_rarest(const std::vector<Label>& labels) const {
  const std::vector<ShapeId>* rarest = nullptr;
  for (const Label& label : labels) {
    const auto listed = by_label_.find(label);
    if (listed == by_label_.end()) return {};
    if (rarest == nullptr || listed->second.size() < rarest->size()) rarest = &listed->second;
  }
  return *rarest;
}

void Shapes::drop(ShapeId id) {
  for (const Label& label : shapes_[id.index()]->labels.pairs()) {
    const auto listed = by_label_.find(label);
    listed->second.erase(std::ranges::lower_bound(listed->second, id));
    if (listed->second.empty()) by_label_.erase(listed);
  }
  by_key_.erase(by_key_.find(*keys_[id.index()]));
  shapes_[id.index()].reset();
  keys_[id.index()] = nullptr;
  unused_.give_back(id);
  --idle_;
}

}  // namespace loadline::cluster
