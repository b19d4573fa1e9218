#include "brain/gang/search/alike_nodes.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "objects/kube/core/node.h"

namespace loadline::gang {

using cluster::NodeId;

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

class Fingerprints {
 public:
  explicit Fingerprints(const cluster::Cluster& cluster) : cluster_(cluster), hostname_(find_hostname()) {
    for (const NodeId node : cluster.nodes()) ++hostnames_[cluster.facts(node).labels.find(hostname_)];
  }

  [[nodiscard]] bool asks_for_names(const cluster::PodShape& shape) const {
    const auto is_hostname = [&](const cluster::Requirement& requirement) { return requirement.key == hostname_; };
    if (shape.required_node_name.valid() || shape.candidate_node_names) return true;
    if (std::ranges::any_of(shape.node_affinity.node_selector, is_hostname)) return true;
    return std::ranges::any_of(shape.node_affinity.terms, [&](const cluster::NodeTerm& term) {
      return !term.names.empty() || std::ranges::any_of(term.labels, is_hostname);
    });
  }

  /// Equal for nodes that are alike. Nodes that nominated pods may go to are like no other.
  [[nodiscard]] std::string of(NodeId node) {
    text_.clear();
    const cluster::NodeFacts& facts = cluster_.facts(node);
    for (const auto& [key, value] : facts.labels.pairs()) {
      const bool is_its_name = key == hostname_ && hostnames_.at(value) == 1;
      add(key.index(), is_its_name ? 0 : value.index() + 1);
    }
    add(facts.labels.pairs().size(), facts.unschedulable ? 1 : 0);
    for (const cluster::CompiledTaint& taint : facts.taints) {
      add(taint.key.index(), taint.value.index(), static_cast<std::size_t>(taint.effect));
    }
    for (const Symbol feature : facts.declared_features) add(feature.index());
    for (std::size_t r = 0; r < cluster_.resources().size(); ++r) {
      add(static_cast<std::size_t>(cluster_.allocatable(node, cluster::ResourceId{r})));
    }
    add(static_cast<std::size_t>(cluster_.allowed_pods(node)));
    std::vector<std::size_t> shapes;
    for (const cluster::PodId pod : cluster_.pods_on(node)) {
      shapes.push_back(cluster_.pod(pod).shape.index() * 2 + (cluster_.pod(pod).terminating ? 1 : 0));
    }
    std::sort(shapes.begin(), shapes.end());
    for (const std::size_t shape : shapes) add(shape);
    if (!cluster_.nominated_to(node).empty()) text_ += "nominated to " + std::string(cluster_.node_name(node));
    return text_;
  }

 private:
  [[nodiscard]] Symbol find_hostname() const {
    for (const NodeId node : cluster_.nodes()) {
      for (const auto& [key, value] : cluster_.facts(node).labels.pairs()) {
        if (cluster_.symbols().text(key) == kHostname) return key;
      }
    }
    return Symbol{};
  }
  template <class... Numbers>
  void add(Numbers... numbers) {
    ((text_ += std::to_string(numbers), text_ += ' '), ...);
    text_ += ';';
  }

  const cluster::Cluster& cluster_;
  Symbol hostname_;
  std::map<Symbol, std::size_t> hostnames_;  // how many nodes have it
  std::string text_;
};

}  // namespace

std::vector<std::size_t> alike_nodes(const cluster::Cluster& cluster, const MemberKinds& kinds,
                                     std::span<const NodeId> nodes) {
  Fingerprints fingerprints(cluster);
  const bool is_each_apart =
      kinds.uses_storage || !kinds.knows_filters || std::ranges::any_of(kinds.kinds, [&](const MemberKind& kind) {
        return fingerprints.asks_for_names(cluster.shape(kind.shape(cluster)));
      });
  std::vector<std::size_t> first(nodes.size());
  std::map<std::string, std::size_t> known;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    first[n] = is_each_apart ? n : known.try_emplace(fingerprints.of(nodes[n]), n).first->second;
  }
  return first;
}

}  // namespace loadline::gang
