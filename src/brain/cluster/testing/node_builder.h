#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "objects/kube/core/node.h"

namespace loadline::cluster::testing {

inline kube::Quantity quantity(const std::string& text) { return kube::Quantity::parse(text).value(); }

/// A node with 4 CPUs, 16Gi of memory, room for 110 pods and its hostname as label, unless said otherwise.
class NodeBuilder {
 public:
  explicit NodeBuilder(const std::string& name) {
    node_.metadata.name = name;
    label("kubernetes.io/hostname", name);
    allocatable("cpu", "4").allocatable("memory", "16Gi").allocatable("pods", "110");
  }

  NodeBuilder& label(const std::string& key, const std::string& value) {
    node_.metadata.labels[key] = value;
    return *this;
  }
  NodeBuilder& zone(const std::string& zone) { return label("topology.kubernetes.io/zone", zone); }
  NodeBuilder& region(const std::string& region) { return label("topology.kubernetes.io/region", region); }
  NodeBuilder& without_label(const std::string& key) {
    node_.metadata.labels.erase(key);
    return *this;
  }
  NodeBuilder& allocatable(const std::string& resource, const std::string& amount) {
    node_.allocatable[resource] = quantity(amount);
    return *this;
  }
  NodeBuilder& taint(const std::string& key, kube::TaintEffect effect, const std::string& value = "") {
    node_.taints.push_back({key, value, effect, std::nullopt});
    return *this;
  }
  NodeBuilder& image(const std::string& name, std::int64_t bytes) {
    node_.images.push_back({{name}, bytes});
    return *this;
  }
  NodeBuilder& cordoned() {
    node_.unschedulable = true;
    return *this;
  }

  operator const kube::Node&() const { return node_; }  // NOLINT: a builder stands for what it builds

 private:
  kube::Node node_;
};

inline NodeBuilder node(const std::string& name) { return NodeBuilder(name); }

}  // namespace loadline::cluster::testing
