#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/pod_clique_set.h"
#include "objects/kube/grove/cluster_topology_binding.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/grove/pod_gang.h"

namespace loadline::workloads {

/// The ClusterTopologyBinding of that name; null: there is none.
using FindBinding = std::function<const kube::ClusterTopologyBinding*(std::string_view name)>;

/// What a PodCliqueSet says of places, in the labels of nodes that its binding has for its domains. As Grove with
/// topologies enabled: a domain that the binding lacks asks for nothing.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, createTopologyPackConstraint, syncflow.go of component podgang.
class CliqueTopology {
 public:
  CliqueTopology(const kube::PodCliqueSet& set, const FindBinding& find);

  /// Whether the set asks for any place.
  [[nodiscard]] bool is_asked() const { return is_asked_; }
  /// Of the gang that the clique is in: the set's, or that of the scaling group of which the gang is a replica.
  [[nodiscard]] kube::GrovePackConstraint of_gang(const CliqueOfSet& clique) const;
  /// Of the clique's own pods.
  [[nodiscard]] kube::GrovePackConstraint of_clique(const kube::CliqueTemplate& clique) const;
  /// Of the replica of a scaling group that the clique is in, where the gang has more than that.
  [[nodiscard]] kube::GrovePackConstraint of_group_replica(const CliqueOfSet& clique) const;

  enum class Problem : std::uint8_t { kNone, kNoName, kNoBinding, kNoDomains };
  [[nodiscard]] Problem problem() const;
  /// Of kNoBinding the name of the binding, of kNoDomains the domains that it lacks.
  [[nodiscard]] const std::string& topology() const { return topology_; }
  [[nodiscard]] const std::vector<std::string>& unknown_domains() const { return unknown_; }
  /// "asks for the topology grove-topology, and there is no ClusterTopologyBinding of that name: it is not heeded".
  [[nodiscard]] std::string problem_text() const;

 private:
  void note(const std::optional<kube::GroveTopologyConstraint>& constraint);
  [[nodiscard]] const std::string* label_of(std::string_view domain) const;
  [[nodiscard]] kube::GrovePackConstraint translated(
      const std::optional<kube::GroveTopologyConstraint>& constraint) const;

  const kube::PodCliqueSet& set_;
  const kube::ClusterTopologyBinding* binding_ = nullptr;
  bool is_asked_ = false;
  std::string topology_;  // the name that the set gives; empty: it gives none
  std::vector<std::string> unknown_;
};

/// The cliques of a scaling group's replica are near each other, if the group says so: the clique joins them.
void share_place(const CliqueTopology& topology, const CliqueOfSet& clique,
                 std::vector<kube::GroveSharedConstraint>& shared);

}  // namespace loadline::workloads
