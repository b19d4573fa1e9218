#include "brain/cluster/facts/node_facts.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "brain/cluster/facts/images.h"
#include "brain/cluster/facts/zone_labels.h"
#include "brain/cluster/shapes/shape_compiler.h"

namespace loadline::cluster {
namespace {

std::string_view label(const kube::Node& node, std::string_view key, std::string_view old_key) {
  for (const std::string_view name : {old_key, key}) {
    const auto found = node.metadata.labels.find(name);
    if (found != node.metadata.labels.end()) return found->second;
  }
  return {};
}

/// nodetree's zone key: the deprecated labels win, as component-helpers' GetZoneKey has it.
std::string zone_key(const kube::Node& node) {
  const std::string_view region = label(node, kRegionLabel, kOldRegionLabel);
  const std::string_view zone = label(node, kZoneLabel, kOldZoneLabel);
  if (region.empty() && zone.empty()) return {};
  return std::string(region) + std::string(":\0:", 3) + std::string(zone);
}

bool same_images(const std::vector<kube::ContainerImage>& a, const std::vector<kube::ContainerImage>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const kube::ContainerImage& one, const kube::ContainerImage& other) {
                      return one.size_bytes == other.size_bytes && one.names == other.names;
                    });
}

}  // namespace

NodeFacts compile_facts(const kube::Node& node, SymbolTable& symbols) {
  NodeFacts facts;
  facts.name = symbols.intern(node.metadata.name);
  facts.labels = LabelSet(node.metadata.labels, symbols);
  facts.taints = compile_taints(node.taints, symbols);
  facts.unschedulable = node.unschedulable;
  facts.zone = symbols.intern(zone_key(node));
  for (const auto& [name, bytes] : images_of(node)) facts.images.push_back(symbols.intern(name));
  std::sort(facts.images.begin(), facts.images.end());
  for (const std::string& feature : node.declared_features) facts.declared_features.push_back(symbols.intern(feature));
  return facts;
}

NodeDifference difference(const kube::Node& before, const kube::Node& after) {
  NodeDifference difference;
  difference.labels = before.metadata.labels != after.metadata.labels;
  difference.annotations = before.metadata.annotations != after.metadata.annotations;
  difference.taints = before.taints != after.taints;
  difference.allocatable = before.allocatable != after.allocatable;
  difference.images = !same_images(before.images, after.images);
  difference.others =
      before.unschedulable != after.unschedulable || before.declared_features != after.declared_features;
  return difference;
}

}  // namespace loadline::cluster
