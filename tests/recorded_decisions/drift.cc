#include "recorded_decisions/drift.h"

#include <cstddef>
#include <cstdint>

namespace loadline::recorded_decisions {
namespace {

using cluster::Cluster;
using cluster::NodeId;

std::string text(const std::vector<std::int32_t>& numbers) {
  std::string line = "[";
  for (const std::int32_t number : numbers) line += (line.size() > 1 ? " " : "") + std::to_string(number);
  return line + "]";
}

std::string text(const cluster::Counter& counter) {
  return "pods " + text(counter.pods) + " nodes " + text(counter.nodes) + " total " + std::to_string(counter.total) +
         " domains " + std::to_string(counter.domains);
}

std::string text(const cluster::AffinityTermCount& affinity_term_count) {
  return "pods " + text(affinity_term_count.pods) + " total " + std::to_string(affinity_term_count.total);
}

/// What the pods on one node add up to.
struct NodeSums {
  std::vector<std::int64_t> requested;  // by resource
  std::int64_t nonzero_cpu = 0;
  std::int64_t nonzero_memory = 0;
  bool host_ports = false;
};

NodeSums add_up(const Cluster& cluster, NodeId node) {
  NodeSums sums;
  sums.requested.assign(cluster.resources().size(), 0);
  for (const cluster::PodId pod : cluster.pods_on(node)) {
    const cluster::PodShape& shape = cluster.shape_of(pod);
    for (const cluster::ResourceAmount& entry : shape.usage) sums.requested[entry.resource.index()] += entry.amount;
    sums.nonzero_cpu += shape.nonzero_cpu;
    sums.nonzero_memory += shape.nonzero_memory;
    sums.host_ports = sums.host_ports || !shape.host_ports.empty();
  }
  return sums;
}

class Search {
 public:
  explicit Search(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<Drift> run() {
    for (std::size_t i = 0; i < cluster_.counter_slots(); ++i) {
      const cluster::CounterId id{i};
      compare("counter " + std::to_string(i), text(cluster_.recount(id)), text(cluster_.counter(id)));
    }
    for (std::size_t i = 0; i < cluster_.affinity_term_count_slots(); ++i) {
      const cluster::AffinityTermCountId id{i};
      compare("affinity_term_count " + std::to_string(i), text(cluster_.recount(id)),
              text(cluster_.affinity_term_count(id)));
    }
    for (const NodeId node : cluster_.nodes()) compare_sums(node);
    compare_places();
    return std::move(found_);
  }

 private:
  void compare_sums(NodeId node) {
    const NodeSums sums = add_up(cluster_, node);
    const std::string of = " of " + std::string(cluster_.node_name(node));
    for (std::size_t i = 0; i < sums.requested.size(); ++i) {
      const cluster::ResourceId resource{i};
      const std::int64_t kept = cluster_.requested(node, resource);
      if (kept == sums.requested[i]) continue;
      compare("requested " + std::string(cluster_.resources().name(resource)) + of, std::to_string(sums.requested[i]),
              std::to_string(kept));
    }
    compare("nonzero cpu" + of, std::to_string(sums.nonzero_cpu), std::to_string(cluster_.nonzero_cpu(node)));
    compare("nonzero memory" + of, std::to_string(sums.nonzero_memory), std::to_string(cluster_.nonzero_memory(node)));
    compare("host ports" + of, sums.host_ports ? "yes" : "no", cluster_.has_host_ports(node) ? "yes" : "no");
  }

  /// The pods that a node lists are those that say they are on it.
  void compare_places() {
    std::vector<std::int32_t> said(cluster_.node_slots()), listed(cluster_.node_slots());
    for (std::size_t i = 0; i < cluster_.pod_slots(); ++i) {
      const NodeId node = cluster_.pod(cluster::PodId{i}).node;
      if (node.valid()) ++said[node.index()];
    }
    for (std::size_t i = 0; i < listed.size(); ++i) {
      for (const cluster::PodId pod : cluster_.pods_on(NodeId{i})) {
        if (cluster_.pod(pod).node == NodeId{i}) ++listed[i];
      }
    }
    compare("pods by node", text(said), text(listed));
  }

  void compare(const std::string& what, std::string recomputed, std::string kept) {
    if (recomputed != kept) found_.push_back({"incremental " + what, std::move(recomputed), std::move(kept)});
  }

  const Cluster& cluster_;
  std::vector<Drift> found_;
};

}  // namespace

std::vector<Drift> find_drift(const Cluster& cluster) { return Search(cluster).run(); }

}  // namespace loadline::recorded_decisions
