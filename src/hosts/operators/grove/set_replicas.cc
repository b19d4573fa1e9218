#include "hosts/operators/grove/set_replicas.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "brain/workloads/pod_clique_set.h"
#include "hosts/operators/grove/clique_status.h"
#include "hosts/operators/grove/grove_kinds.h"

namespace loadline::operators {
namespace {

void shorten(std::optional<Duration>& left, std::optional<Duration> other) {
  if (other && (!left || *other < *left)) left = other;
}

/// Pods of the replicas of a scaling group that are scheduled.
std::int64_t scheduled_pods(const kube::PodCliqueSet& set, const kube::PodCliqueScalingGroup& group) {
  std::int64_t pods = 0;
  for (const std::string& name : group.cliques) {
    const kube::CliqueTemplate* const clique = workloads::find_clique(set, name);
    if (clique != nullptr) pods += std::int64_t{group.status.scheduled_replicas} * least_available(clique->spec);
  }
  return pods;
}

struct Look {
  using Replica = SetReplicas::Replica;

  const kube::PodCliqueSet& set;
  const watching::Caches& caches;
  const SetTemplates& templates;
  std::string_view hash;
  Instant now;
  std::vector<const kube::CliqueTemplate*> standing;  // cliques that are in no scaling group

  /// Nothing is given up while PodCliques are missing.
  void add_cliques(Replica& replica) const {
    for (const kube::CliqueTemplate* written : standing) {
      const std::string name = workloads::CliqueOfSet{set, *written, replica.index}.name();
      const auto clique = caches.of<kube::PodClique>().find(set.metadata.namespace_, name);
      if (clique == nullptr || clique->is_being_deleted()) {
        replica.is_whole = false;
        continue;
      }
      const kube::CliqueStatus& status = clique->view.status;
      if (status.ready_replicas < least_available(clique->view.spec)) replica.is_available = false;
      replica.updated_cliques += is_updated(clique->view, templates.hash_of(written->name), hash) ? 1 : 0;
      replica.scheduled += status.scheduled_replicas;
      shorten(replica.left, time_to_termination(status, set, now));
    }
    if (!replica.is_whole) replica.left.reset();
  }

  void add_groups(Replica& replica) const {
    const bool may_be_given_up = replica.is_whole;
    for (const kube::CliqueScalingGroup& written : set.scaling_groups) {
      const std::string name = workloads::scaling_group_name(set, replica.index, written);
      const auto group = caches.of<kube::PodCliqueScalingGroup>().find(set.metadata.namespace_, name);
      if (group == nullptr || group->is_being_deleted()) {
        replica.is_whole = false;
        continue;
      }
      const kube::CliqueStatus& status = group->view.status;
      if (status.available_replicas < group->view.min_available.value_or(1)) replica.is_available = false;
      replica.updated_groups += !hash.empty() && status.set_hash == hash ? 1 : 0;
      replica.scheduled += scheduled_pods(set, group->view);
      if (may_be_given_up) shorten(replica.left, time_to_termination(status, set, now));
    }
  }
};

}  // namespace

SetReplicas::SetReplicas(const watching::Observed<kube::PodCliqueSet>& set, const watching::Caches& caches,
                         const SetTemplates& templates, std::string_view set_hash, std::int64_t looked_at,
                         Instant now) {
  Look look{set.view, caches, templates, set_hash, now, {}};
  for (const kube::CliqueTemplate& clique : set.view.cliques) {
    if (workloads::scaling_group_of(set.view, clique.name) == nullptr) look.standing.push_back(&clique);
  }
  cliques_ = static_cast<std::int32_t>(look.standing.size());
  groups_ = static_cast<std::int32_t>(set.view.scaling_groups.size());
  for (std::int64_t index = 0; index < looked_at; ++index) {
    Replica replica;
    replica.index = index;
    look.add_cliques(replica);
    look.add_groups(replica);
    replica.is_available = replica.is_available && replica.is_whole;
    replica.is_updated = replica.updated_cliques == cliques_ && replica.updated_groups == groups_;
    replicas_.push_back(replica);
  }
}

const SetReplicas::Replica* SetReplicas::next_to_update(std::optional<std::int64_t> current) const {
  const Replica* next = nullptr;
  const auto key = [](const Replica& replica) {
    return std::tuple(replica.scheduled > 0, !replica.left.has_value(), replica.index);
  };
  for (const Replica& replica : replicas_) {
    const bool is_given_up = replica.left && *replica.left <= Duration{};
    if (replica.is_updated || is_given_up || current == replica.index) continue;
    if (next == nullptr || key(replica) < key(*next)) next = &replica;
  }
  return next;
}

}  // namespace loadline::operators
