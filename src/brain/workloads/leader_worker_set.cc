#include "brain/workloads/leader_worker_set.h"

#include <utility>
#include <vector>

#include "brain/workloads/controller.h"
#include "brain/workloads/stateful_set.h"
#include "foundation/base/digest.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

std::string annotation_of(const kube::LeaderWorkerSet& set, std::string_view name) {
  const auto found = set.metadata.annotations.find(name);
  return found == set.metadata.annotations.end() ? std::string() : found->second;
}

std::string group_key(std::string_view name_space, std::string_view leader) {
  return sha1_hex(std::string(name_space) + '/' + std::string(leader));
}
std::string group_key(const kube::LeaderWorkerSet& set, std::int64_t group) {
  return group_key(set.metadata.namespace_, group_name(set, group));
}

void add_annotation(PodDraft& draft, std::string_view name, std::string value) {
  if (!value.empty()) draft.annotations.emplace_back(name, std::move(value));
}

/// What both templates say of their groups.
void describe_groups(const kube::LeaderWorkerSet& set, PodDraft& draft) {
  add_annotation(draft, kube::kLwsSize, std::to_string(set.size));
  add_annotation(draft, kube::kLwsExclusiveTopology, exclusive_topology(set));
  if (!set.sub_groups) return;
  add_annotation(draft, kube::kLwsSubGroupSize, std::to_string(set.sub_groups->size));
  add_annotation(draft, kube::kLwsSubGroupExclusiveTopology, sub_group_exclusive_topology(set));
}

/// The pods with that key have a domain to themselves. Source: SetExclusiveAffinities.
void keep_to_one_domain(PodDraft& draft, const std::string& topology, std::string_view label, const std::string& key) {
  using Op = kube::LabelSelectorOperator;
  const std::string name(label);
  draft.near.push_back(domain_of_pods(topology, {{name, Op::kIn, {key}}}));
  draft.away_from.push_back(domain_of_pods(topology, {{name, Op::kExists, {}}, {name, Op::kNotIn, {key}}}));
}

}  // namespace

std::string exclusive_topology(const kube::LeaderWorkerSet& set) {
  return annotation_of(set, kube::kLwsExclusiveTopology);
}

std::string sub_group_exclusive_topology(const kube::LeaderWorkerSet& set) {
  return annotation_of(set, kube::kLwsSubGroupExclusiveTopology);
}

const kube::PodTemplateSpec& leader_template(const kube::LeaderWorkerSet& set) {
  return set.leader_template ? *set.leader_template : set.worker_template;
}

std::string group_name(const kube::LeaderWorkerSet& set, std::int64_t group) {
  return set.metadata.name + '-' + std::to_string(group);
}

kube::StringMap leader_labels(const kube::LeaderWorkerSet& set) {
  return {{std::string(kube::kLwsName), set.metadata.name}, {std::string(kube::kLwsWorkerIndex), "0"}};
}

std::string service_of(const kube::LeaderWorkerSet& set, std::int64_t group) {
  return set.has_subdomain_for_each_group ? group_name(set, group) : set.metadata.name;
}

kube::StringMap service_selector(const kube::LeaderWorkerSet& set, std::int64_t group) {
  kube::StringMap selector{{std::string(kube::kLwsName), set.metadata.name}};
  if (set.has_subdomain_for_each_group) selector.emplace(kube::kLwsGroupIndex, std::to_string(group));
  return selector;
}

PodDraft leaders_draft(const kube::LeaderWorkerSet& set) {
  PodDraft draft;
  draft.labels = {{kube::kLwsWorkerIndex, "0"}, {kube::kLwsName, set.metadata.name}};
  describe_groups(set, draft);
  if (set.sub_groups) {
    add_annotation(draft, kube::kLwsSubGroupPolicyType,
                   set.sub_groups->excludes_leader ? "LeaderExcluded" : "LeaderWorker");
  }
  if (set.has_subdomain_for_each_group) add_annotation(draft, kube::kLwsSubdomainPolicy, "UniquePerReplica");
  return draft;
}

PodDraft workers_draft(const kube::LeaderWorkerSet& set, std::int64_t group) {
  PodDraft draft;
  draft.labels = {{kube::kLwsGroupIndex, std::to_string(group)},
                  {kube::kLwsName, set.metadata.name},
                  {kube::kLwsGroupKey, group_key(set, group)}};
  describe_groups(set, draft);
  add_annotation(draft, kube::kLwsLeaderName, group_name(set, group));
  return draft;
}

GroupMember member_of(const kube::LeaderWorkerSet& set, std::int64_t group, std::int64_t worker) {
  return {set.metadata.namespace_,
          group_name(set, group),
          group,
          worker,
          set.size,
          set.sub_groups,
          exclusive_topology(set),
          sub_group_exclusive_topology(set),
          set.has_subdomain_for_each_group};
}

std::optional<std::int64_t> sub_group_of(const GroupMember& member) {
  if (!member.sub_groups || member.sub_groups->size < 1) return std::nullopt;
  const std::int64_t size = member.sub_groups->size;
  if (member.worker == 0) return member.sub_groups->excludes_leader ? std::nullopt : std::optional<std::int64_t>(0);
  // Where the workers alone fill the sub-groups, the leader is one more in the first.
  return (member.size - 1) % size == 0 ? (member.worker - 1) / size : member.worker / size;
}

PodDraft member_draft(const GroupMember& member) {
  PodDraft draft;
  const bool leads = member.worker == 0;
  if (leads) {
    const std::string key = group_key(member.name_space, member.leader);
    draft.labels = {{kube::kLwsGroupIndex, std::to_string(member.group)}, {kube::kLwsGroupKey, key}};
    if (member.has_own_subdomain) draft.subdomain = member.leader;
    if (!member.exclusive_topology.empty())
      keep_to_one_domain(draft, member.exclusive_topology, kube::kLwsGroupKey, key);
  } else {
    draft.labels = {{kube::kLwsWorkerIndex, std::to_string(member.worker)}};
  }
  const std::optional<std::int64_t> sub_group = sub_group_of(member);
  if (!sub_group) return draft;
  const std::string index = std::to_string(*sub_group);
  const std::string key = group_key(member.leader, index);
  draft.labels.emplace_back(kube::kLwsSubGroupIndex, index);
  draft.labels.emplace_back(kube::kLwsSubGroupKey, key);
  const std::string& own = member.sub_group_exclusive_topology;
  // The webhook puts no second pair of terms about one topology on a pod.
  if (!own.empty() && (!leads || own != member.exclusive_topology))
    keep_to_one_domain(draft, own, kube::kLwsSubGroupKey, key);
  return draft;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

class LeaderWorkerSetExpansion {
 public:
  LeaderWorkerSetExpansion(const kube::LeaderWorkerSet& set, const View& view, Expansion& expansion)
      : set_(set),
        workload_{"LeaderWorkerSet", set.metadata.namespace_, set.metadata.name},
        view_(view),
        expansion_(expansion) {}

  /// Group by group, the leader first, which counts as ready once it has a node.
  void run() {
    if (!set_.has_subdomain_for_each_group) add_service(0);
    const kube::StatefulSet leaders = leaders_of();
    std::vector<CreatedPod> created = pods_of(leaders);
    auto leader = created.begin();  // they come in the order of their groups
    add_controller(leaders);
    for (std::int64_t group = 0; group < set_.replicas; ++group) {
      if (leader != created.end() && leader->pod.metadata.name == group_name(set_, group)) {
        apply(member_draft(member_of(set_, group, 0)), leader->pod);
        expansion_.pods.push_back(std::move(*leader++));
      }
      add_group(group);
    }
  }

 private:
  void own(kube::ObjectMeta& child) const {
    child.namespace_ = set_.metadata.namespace_;
    child.source = set_.metadata.source;
    child.labels.insert_or_assign(std::string(kube::kLwsName), set_.metadata.name);
  }

  kube::StatefulSet stateful_set(std::string name, const kube::PodTemplateSpec& pod_template, const PodDraft& draft) {
    kube::StatefulSet result;
    result.metadata.name = std::move(name);
    own(result.metadata);
    result.template_ = pod_template;
    apply(draft, result.template_);
    result.parallel = true;
    result.volume_claim_templates = set_.volume_claim_templates;
    return result;
  }

  kube::StatefulSet leaders_of() {
    kube::StatefulSet leaders = stateful_set(set_.metadata.name, leader_template(set_), leaders_draft(set_));
    leaders.metadata.owner_references.push_back(
        {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", set_.metadata.name, set_.metadata.uid, true});
    leaders.replicas = set_.replicas;
    leaders.service_name = set_.metadata.name;
    leaders.selector.emplace().match_labels = leader_labels(set_);
    return leaders;
  }

  kube::StatefulSet workers_of(std::int64_t group) {
    const PodDraft draft = workers_draft(set_, group);
    kube::StatefulSet workers = stateful_set(group_name(set_, group), set_.worker_template, draft);
    workers.metadata.owner_references.push_back({"v1", "Pod", group_name(set_, group), "", true});
    workers.replicas = set_.size - 1;
    workers.ordinals_start = 1;
    workers.service_name = service_of(set_, group);
    for (const auto& [label, value] : draft.labels) {
      workers.selector ? workers.selector->match_labels.emplace(label, value)
                       : workers.selector.emplace().match_labels.emplace(label, value);
    }
    return workers;
  }

  void add_group(std::int64_t group) {
    if (set_.has_subdomain_for_each_group) add_service(group);
    if (set_.size <= 1 || !view_.asks_for("StatefulSet", group_name(set_, group))) return;
    const kube::StatefulSet workers = workers_of(group);
    const std::string topology = exclusive_topology(set_);
    const std::shared_ptr<const CreationOrder> order = order_of_workers(group);
    for (CreatedPod& worker : pods_of(workers)) {
      worker.order = order;
      const auto index = ordinal_in(worker.pod.metadata.name, workers.metadata.name).value_or(0);
      PodDraft draft = member_draft(member_of(set_, group, index));
      // The operator, which makes workers once their leader has a node, gives them its domain.
      if (!topology.empty()) {
        using Op = kube::LabelSelectorOperator;
        draft.near.push_back(
            domain_of_pods(topology, {{std::string(kube::kLwsGroupKey), Op::kIn, {group_key(set_, group)}},
                                      {std::string(kube::kLwsWorkerIndex), Op::kIn, {"0"}}}));
      }
      apply(draft, worker.pod);
      expansion_.pods.push_back(std::move(worker));
    }
    add_controller(workers);
  }

  /// Workers wait for their leader to be ready where that is asked for, and for its node where they follow it.
  [[nodiscard]] std::shared_ptr<const CreationOrder> order_of_workers(std::int64_t group) const {
    if (!set_.waits_for_leader && exclusive_topology(set_).empty()) return nullptr;
    auto order = std::make_shared<CreationOrder>();
    order->after.push_back(
        {"its leader " + group_name(set_, group),
         {{std::string(kube::kLwsGroupKey), group_key(set_, group)}, {std::string(kube::kLwsWorkerIndex), "0"}},
         1});
    return order;
  }

  /// Those that are missing.
  std::vector<CreatedPod> pods_of(const kube::StatefulSet& set) {
    std::vector<CreatedPod> before = std::exchange(expansion_.pods, {});
    expand_stateful_set(set, workload_, view_, expansion_);
    return std::exchange(expansion_.pods, std::move(before));
  }

  void add_controller(const kube::StatefulSet& set) {
    if (!view_.has("StatefulSet", set.metadata)) expansion_.made.of<kube::StatefulSet>().push_back(set);
  }

  void add_service(std::int64_t group) {
    const std::string name = service_of(set_, group);
    for (const kube::Service& known : view_.objects.of<kube::Service>()) {
      if (known.metadata.name == name && known.metadata.namespace_ == set_.metadata.namespace_) return;
    }
    kube::Service service;
    service.metadata.name = name;
    own(service.metadata);
    service.selector = service_selector(set_, group);
    expansion_.made.of<kube::Service>().push_back(std::move(service));
  }

  const kube::LeaderWorkerSet& set_;
  WorkloadReference workload_;
  const View& view_;
  Expansion& expansion_;
};

}  // namespace

void expand(const kube::LeaderWorkerSet& set, const View& view, Expansion& expansion) {
  LeaderWorkerSetExpansion(set, view, expansion).run();
}

}  // namespace loadline::workloads
