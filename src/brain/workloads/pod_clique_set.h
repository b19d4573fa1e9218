#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

// What Grove makes of a PodCliqueSet: for each replica a headless service, a PodClique for each clique that stands for
// itself, and a PodCliqueScalingGroup for each group, with a PodClique for each of its cliques and replicas. A
// PodClique has pods with generated names, and the lowest free indexes. Replicas of what is there are not those of the
// template: who scales it later may be an autoscaler. A replica of the set, with as many replicas of its groups as they
// need at least, is one gang, `<set>-<replica>`; each further replica of a group is a gang of its own. Pods are held by
// a gate until their gang lists them. Order of start is the business of a container that waits; pods do not wait for
// each other to be created. Example: "llm" with a clique "router" and a group "decode" of a "leader" and a "worker":
// PodCliques llm-0-router, llm-0-decode-0-leader, llm-0-decode-0-worker; pods llm-0-router-x7k2p. Source:
// ai-dynamo/grove v0.1.0-alpha.11, operator/api/common and operator/internal/controller.

/// The group that the clique of that name is in; null: it stands for itself.
[[nodiscard]] const kube::CliqueScalingGroup* scaling_group_of(const kube::PodCliqueSet& set, std::string_view clique);
/// The clique of that name; null: the set has none.
[[nodiscard]] const kube::CliqueTemplate* find_clique(const kube::PodCliqueSet& set, std::string_view name);

/// "llm-0": the gang of a replica of the set, and its headless service.
[[nodiscard]] std::string replica_name(const kube::PodCliqueSet& set, std::int64_t replica);
/// "llm-0-decode".
[[nodiscard]] std::string scaling_group_name(const kube::PodCliqueSet& set, std::int64_t replica,
                                             const kube::CliqueScalingGroup& group);
/// How many replicas of a group belong to the gang of their set's replica.
[[nodiscard]] std::int64_t least_available(const kube::CliqueScalingGroup& group);

/// A PodClique of a set.
struct CliqueOfSet {
  const kube::PodCliqueSet& set;
  const kube::CliqueTemplate& clique;
  std::int64_t replica = 0;                         ///< of the set
  const kube::CliqueScalingGroup* group = nullptr;  ///< null: it stands for itself
  std::int64_t group_replica = 0;

  [[nodiscard]] std::string name() const;  ///< "llm-0-decode-1-worker"
  /// The gang that its pods belong to.
  [[nodiscard]] std::string gang() const;
  /// The gang that has to be there before; empty: none.
  [[nodiscard]] std::string base_gang() const;
  /// The PodCliques of which as many pods as they need have to be ready before its own start.
  [[nodiscard]] std::vector<std::string> starts_after() const;
};

/// Visits what the set's template describes for one of its replicas, group by group.
template <class Visit>
void for_each_clique_in_replica(const kube::PodCliqueSet& set, std::int64_t replica, Visit visit) {
  for (const kube::CliqueTemplate& clique : set.cliques) {
    if (scaling_group_of(set, clique.name) == nullptr) visit(CliqueOfSet{set, clique, replica});
  }
  for (const kube::CliqueScalingGroup& group : set.scaling_groups) {
    for (std::int64_t i = 0; i < group.replicas.value_or(1); ++i) {
      for (const std::string& name : group.cliques) {
        const kube::CliqueTemplate* const clique = find_clique(set, name);
        if (clique != nullptr) visit(CliqueOfSet{set, *clique, replica, &group, i});
      }
    }
  }
}

/// The same for all of its replicas.
template <class Visit>
void for_each_clique(const kube::PodCliqueSet& set, Visit visit) {
  for (std::int64_t replica = 0; replica < set.replicas; ++replica) for_each_clique_in_replica(set, replica, visit);
}

/// The labels of all that is made for the set of that name.
[[nodiscard]] ObjectDraft::Entries grove_labels(std::string_view set);
/// What a PodClique is told by, but for the hash of its template; its pods have these labels, too.
[[nodiscard]] ObjectDraft clique_draft(const CliqueOfSet& clique);
/// What all pods of the PodClique get; `clique` and its pods' labels are the object's own.
[[nodiscard]] PodDraft clique_pods_draft(const kube::PodClique& clique);
/// What the pod of an index gets besides.
[[nodiscard]] PodDraft clique_pod_draft(const kube::PodClique& clique, std::int64_t index);
/// Which pods answer to the headless service of the set's replica.
[[nodiscard]] kube::StringMap service_selector(const kube::PodCliqueSet& set, std::int64_t replica);

/// The name of the pod's clique in its set, as the labels of the pod tell it; empty: they do not.
[[nodiscard]] std::string clique_of(const kube::ObjectMeta& pod);

/// How many pods each PodClique of the set is to have, by its name: as many as the one that is there says.
[[nodiscard]] std::map<std::string, std::int64_t> wanted_cliques(const kube::PodCliqueSet& set,
                                                                 const kube::Objects& objects);

}  // namespace loadline::workloads
