#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::placement {

/// How far a plugin's answers about one node reach: a rejection or none, and its score before normalisation.
enum class Locality : std::uint8_t {
  /// They change only when that node's facts change: labels, taints, capacity, images; or what many nodes share and
  /// the plugin names: see Plugin::add_shared_facts.
  kFacts,
  /// They change only when that node changes: its facts, or the pods on it or nominated to it.
  kNode,
  /// They depend on pods elsewhere too, in a way that is the same for all nodes with the same coordinates. Such a
  /// plugin does not refuse or narrow the search in PreFilter.
  kTopology,
  /// They may depend on anything.
  kCluster,
};

/// One way in which nodes differ to a plugin of Locality::kTopology.
struct Coordinate {
  enum class Type : std::uint8_t {
    kDomain,   ///< the node's domain of a topology key
    kCounted,  ///< the pods a counter counts in the node's domain
    kHeld,     ///< the pods that carry a term in the node's domain
  };
  Type type = Type::kDomain;
  std::uint32_t id = 0;  ///< TopologyKeyId, CounterId or AffinityTermCountId
  friend auto operator<=>(const Coordinate&, const Coordinate&) = default;
};

/// What plugins read of a pod. Pods with equal signatures get equal answers about a node from plugins of
/// Locality::kFacts and kNode; from those of kTopology, about nodes with equal coordinates. Upstream's SignPlugin
/// (KEP-5598) is the model; it leaves pods with affinity or spread constraints unsigned, which the coordinates make
/// unnecessary.
class Signature {
 public:
  template <class... Numbers>
    requires((std::is_arithmetic_v<Numbers> || std::is_enum_v<Numbers>) && ...)
  void add(Numbers... numbers) {
    (append(static_cast<std::int64_t>(numbers)), ...);
  }
  template <class Tag>
  void add(Id<Tag> id) {
    append(static_cast<std::int64_t>(id.value));
  }
  void add(const Signature& other) {
    words_.append(other.words_);
    for (const Coordinate& coordinate : other.coordinates_) differ_by(coordinate);
  }
  void add(std::string_view text) {
    append(static_cast<std::int64_t>(text.size()));
    words_.append(text);
  }

  /// Nodes differ by their domain of the key.
  void differ_by(cluster::TopologyKeyId key) { differ_by({Coordinate::Type::kDomain, key.value}); }
  /// Nodes differ by what is counted in their domain. Where domains are single nodes the number itself tells them
  /// apart, so that thousands of nodes fall into a few classes; else the domain does, and a number may change without
  /// anything having to follow.
  void differ_by(const cluster::Cluster& cluster, cluster::CounterId counter) {
    const cluster::CounterSpec& spec = cluster.counter(counter).spec;
    if (spec.absent_is_empty && cluster.topology_key(spec.key).empty.valid()) {
      differ_by(spec.key);  // pods on one node change the number of another
    } else {
      differ_by(cluster, spec.key, {Coordinate::Type::kCounted, counter.value});
    }
  }
  void differ_by(const cluster::Cluster& cluster, cluster::AffinityTermCountId affinity_term_count) {
    differ_by(cluster, cluster.affinity_term_count(affinity_term_count).spec.key,
              {Coordinate::Type::kHeld, affinity_term_count.value});
  }

  /// Sorted, distinct.
  [[nodiscard]] const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  /// Equal exactly for equal signatures.
  [[nodiscard]] std::string key() const {
    std::string key = words_;
    for (const Coordinate& coordinate : coordinates_) {
      key.push_back(static_cast<char>(coordinate.type));
      key.append(reinterpret_cast<const char*>(&coordinate.id), sizeof coordinate.id);
    }
    return key;
  }

 private:
  void append(std::int64_t word) { words_.append(reinterpret_cast<const char*>(&word), sizeof word); }
  void differ_by(Coordinate coordinate) {
    const auto at = std::lower_bound(coordinates_.begin(), coordinates_.end(), coordinate);
    if (at == coordinates_.end() || *at != coordinate) coordinates_.insert(at, coordinate);
  }
  void differ_by(const cluster::Cluster& cluster, cluster::TopologyKeyId key, Coordinate number) {
    if (cluster.topology_key(key).one_node_each()) {
      differ_by(number);
    } else {
      differ_by(key);
    }
  }

  std::string words_;
  std::vector<Coordinate> coordinates_;
};

}  // namespace loadline::placement
