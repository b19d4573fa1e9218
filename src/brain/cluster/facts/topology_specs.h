#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/facts/labels.h"

namespace loadline::cluster {

/// Nodes that are near each other have the same value of the label, and of those of the broader levels.
struct TopologyLevel {
  std::string label;
  std::string alias;  ///< another name of the level; may be empty
  friend bool operator==(const TopologyLevel&, const TopologyLevel&) = default;
};

/// What a HyperNode is made of: nodes, or narrower HyperNodes, by name, by a regular expression over their names, or,
/// nodes alone, by labels. One of the three is there.
struct HyperNodeMember {
  bool is_node = true;
  std::string name;
  std::string pattern;
  PodSelector labels;  ///< of nodes
  friend bool operator==(const HyperNodeMember&, const HyperNodeMember&) = default;
};

/// A domain that says itself what is in it. Source: Volcano, topology.volcano.sh/v1alpha1.
struct HyperNode {
  std::string name;
  std::int32_t tier = 0;  ///< 1 is the narrowest
  std::string tier_name;  ///< may be empty
  std::vector<HyperNodeMember> members;
  friend bool operator==(const HyperNode&, const HyperNode&) = default;
};

/// How nodes lie within each other: by labels, or, if there are any, by HyperNodes.
struct TopologySpec {
  std::vector<TopologyLevel> levels;  ///< the broadest first
  std::vector<HyperNode> hyper_nodes;
  friend bool operator==(const TopologySpec&, const TopologySpec&) = default;
};

/// The topologies that objects describe, by name.
class TopologySpecs {
 public:
  /// Null: there is none of that name.
  [[nodiscard]] const TopologySpec* find(std::string_view name) const {
    const auto found = specs_.find(name);
    return found == specs_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::map<std::string, TopologySpec, std::less<>>& all() const { return specs_; }
  /// Grows when one comes, changes or goes.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Returns whether anything is different now.
  bool set(std::string_view name, TopologySpec spec) {
    const auto [known, is_new] = specs_.try_emplace(std::string(name));
    if (!is_new && known->second == spec) return false;
    known->second = std::move(spec);
    ++version_;
    return true;
  }
  bool remove(std::string_view name) {
    const auto found = specs_.find(name);
    if (found == specs_.end()) return false;
    specs_.erase(found);
    ++version_;
    return true;
  }

 private:
  std::map<std::string, TopologySpec, std::less<>> specs_;
  std::uint64_t version_ = 0;
};

}  // namespace loadline::cluster
