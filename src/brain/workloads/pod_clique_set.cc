#include "brain/workloads/pod_clique_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "brain/workloads/clique_topology.h"
#include "brain/workloads/controller.h"
#include "objects/kube/grove/pod_gang.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kOperator = "grove-operator";

std::string numbered(std::string_view name, std::int64_t replica, std::string_view part) {
  return fmt::format("{}-{}-{}", name, replica, part);
}

std::string label_in(const kube::ObjectMeta& metadata, std::string_view name) {
  const auto found = metadata.labels.find(name);
  return found == metadata.labels.end() ? std::string() : found->second;
}

/// The PodCliques by that template that belong to the gang of the set's replica.
void add_parents(const CliqueOfSet& clique, std::string_view parent, std::vector<std::string>& names) {
  const kube::CliqueScalingGroup* const group = scaling_group_of(clique.set, parent);
  if (group == nullptr) {
    names.push_back(numbered(clique.set.metadata.name, clique.replica, parent));
    return;
  }
  const std::string group_name = scaling_group_name(clique.set, clique.replica, *group);
  for (std::int64_t i = 0; i < least_available(*group); ++i) names.push_back(numbered(group_name, i, parent));
}

/// By their names in the set.
std::vector<std::string> parents_of(const CliqueOfSet& clique) {
  if (clique.set.startup_type == "CliqueStartupTypeExplicit") return clique.clique.spec.starts_after;
  if (clique.set.startup_type != "CliqueStartupTypeInOrder") return {};
  const auto place = std::ranges::find(clique.set.cliques, clique.clique.name, &kube::CliqueTemplate::name);
  if (place == clique.set.cliques.begin() || place == clique.set.cliques.end()) return {};
  return {std::prev(place)->name};
}

}  // namespace

const kube::CliqueScalingGroup* scaling_group_of(const kube::PodCliqueSet& set, std::string_view clique) {
  const auto found = std::ranges::find_if(set.scaling_groups, [&](const kube::CliqueScalingGroup& group) {
    return std::ranges::find(group.cliques, clique) != group.cliques.end();
  });
  return found == set.scaling_groups.end() ? nullptr : &*found;
}

const kube::CliqueTemplate* find_clique(const kube::PodCliqueSet& set, std::string_view name) {
  const auto found = std::ranges::find(set.cliques, name, &kube::CliqueTemplate::name);
  return found == set.cliques.end() ? nullptr : &*found;
}

std::string replica_name(const kube::PodCliqueSet& set, std::int64_t replica) {
  return fmt::format("{}-{}", set.metadata.name, replica);
}

std::string scaling_group_name(const kube::PodCliqueSet& set, std::int64_t replica,
                               const kube::CliqueScalingGroup& group) {
  return numbered(set.metadata.name, replica, group.name);
}

std::int64_t least_available(const kube::CliqueScalingGroup& group) { return group.min_available.value_or(1); }

std::string CliqueOfSet::name() const {
  if (group == nullptr) return numbered(set.metadata.name, replica, clique.name);
  return numbered(scaling_group_name(set, replica, *group), group_replica, clique.name);
}

std::string CliqueOfSet::gang() const {
  if (group == nullptr || group_replica < least_available(*group)) return replica_name(set, replica);
  return fmt::format("{}-{}", scaling_group_name(set, replica, *group), group_replica - least_available(*group));
}

std::string CliqueOfSet::base_gang() const {
  std::string base = replica_name(set, replica);
  return gang() == base ? std::string() : base;
}

std::vector<std::string> CliqueOfSet::starts_after() const {
  std::vector<std::string> names;
  for (const std::string& parent : parents_of(*this)) {
    if (base_gang().empty()) {
      add_parents(*this, parent, names);
    } else if (std::ranges::find(group->cliques, parent) != group->cliques.end()) {
      // A gang of its own waits for nobody but its own.
      names.push_back(numbered(scaling_group_name(set, replica, *group), group_replica, parent));
    }
  }
  return names;
}

ObjectDraft::Entries grove_labels(std::string_view set) {
  return {{kube::kManagedBy, std::string(kOperator)}, {kube::kPartOf, std::string(set)}};
}

ObjectDraft clique_draft(const CliqueOfSet& clique) {
  ObjectDraft draft;
  draft.name = clique.name();
  draft.labels = grove_labels(clique.set.metadata.name);
  draft.labels.emplace_back(kube::kAppName, draft.name);
  draft.labels.emplace_back(kube::kComponent, clique.group == nullptr ? "pcs-podclique" : "pcsg-podclique");
  draft.labels.emplace_back(kube::kGroveSetIndex, std::to_string(clique.replica));
  draft.labels.emplace_back(kube::kGrovePodGang, clique.gang());
  if (clique.group == nullptr) return draft;
  draft.labels.emplace_back(kube::kGroveScalingGroup, scaling_group_name(clique.set, clique.replica, *clique.group));
  draft.labels.emplace_back(kube::kGroveScalingGroupIndex, std::to_string(clique.group_replica));
  if (std::string base = clique.base_gang(); !base.empty()) {
    draft.labels.emplace_back(kube::kGroveBasePodGang, std::move(base));
  }
  return draft;
}

PodDraft clique_pods_draft(const kube::PodClique& clique) {
  PodDraft draft;
  draft.generate_name = clique.metadata.name + '-';
  draft.labels = {{kube::kGrovePodClique, clique.metadata.name}};
  const std::string set = label_in(clique.metadata, kube::kPartOf);
  const std::string replica = label_in(clique.metadata, kube::kGroveSetIndex);
  if (!set.empty() && !replica.empty()) draft.subdomain = fmt::format("{}-{}", set, replica);
  return draft;
}

PodDraft clique_pod_draft(const kube::PodClique& clique, std::int64_t index) {
  PodDraft draft;
  draft.labels = {{kube::kGrovePodIndex, std::to_string(index)}};
  draft.hostname = fmt::format("{}-{}", clique.metadata.name, index);
  return draft;
}

kube::StringMap service_selector(const kube::PodCliqueSet& set, std::int64_t replica) {
  kube::StringMap selector;
  for (const auto& [name, value] : grove_labels(set.metadata.name)) selector.emplace(name, value);
  selector.emplace(kube::kGroveSetIndex, std::to_string(replica));
  return selector;
}

std::string clique_of(const kube::ObjectMeta& pod) {
  const std::string name = label_in(pod, kube::kGrovePodClique);
  const std::string group = label_in(pod, kube::kGroveScalingGroup);
  const std::string prefix =
      group.empty() ? fmt::format("{}-{}-", label_in(pod, kube::kPartOf), label_in(pod, kube::kGroveSetIndex))
                    : fmt::format("{}-{}-", group, label_in(pod, kube::kGroveScalingGroupIndex));
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string();
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kGroveVersion = "grove.io/v1alpha1";

template <class Kind>
const Kind* find_among(const std::vector<Kind>& objects, std::string_view name_space, std::string_view name) {
  const auto found = std::ranges::find_if(objects, [&](const Kind& object) {
    return object.metadata.name == name && object.metadata.namespace_ == name_space;
  });
  return found == objects.end() ? nullptr : &*found;
}

/// The set with as many replicas in its groups as those have that are there.
kube::PodCliqueSet as_scaled(const kube::PodCliqueSet& set, std::int64_t replica, const kube::Objects& objects) {
  kube::PodCliqueSet scaled = set;
  for (kube::CliqueScalingGroup& group : scaled.scaling_groups) {
    const auto* const made = find_among(objects.of<kube::PodCliqueScalingGroup>(), set.metadata.namespace_,
                                        scaling_group_name(set, replica, group));
    if (made != nullptr) group.replicas = made->replicas;
  }
  return scaled;
}

/// The indexes that pods have, each the lowest that was free.
std::set<std::int64_t> indexes_of(std::span<const kube::Pod* const> pods) {
  std::set<std::int64_t> taken;
  for (const kube::Pod* const pod : pods) {
    const std::string text = label_in(pod->metadata, kube::kGrovePodIndex);
    std::int64_t index = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
    if (read.ec == std::errc() && !text.empty()) taken.insert(index);
  }
  return taken;
}

void expand_clique(const kube::PodClique& clique, const WorkloadReference& workload, const View& view,
                   Expansion& expansion) {
  auto existing = view.existing.controlled_by("PodClique", clique.metadata);
  std::erase_if(existing, [](const kube::Pod* pod) { return !is_active(*pod); });
  PodMaker maker(view, workload, kGroveVersion, "PodClique", clique.metadata, clique.spec.template_, existing);
  maker.share(clique_pods_draft(clique));
  std::set<std::int64_t> taken = indexes_of(existing);
  std::int64_t index = 0;
  for (auto count = static_cast<std::int64_t>(existing.size()); count < clique.spec.replicas; ++count) {
    while (taken.contains(index)) ++index;
    expansion.pods.push_back(maker.make(clique_pod_draft(clique, index++)));
  }
}

class PodCliqueSetExpansion {
 public:
  PodCliqueSetExpansion(const kube::PodCliqueSet& set, const View& view, Expansion& expansion)
      : set_(set),
        workload_{"PodCliqueSet", set.metadata.namespace_, set.metadata.name},
        view_(view),
        expansion_(expansion),
        topology_(set, [&view](std::string_view name) {
          const auto& bindings = view.objects.of<kube::ClusterTopologyBinding>();
          const auto found =
              std::ranges::find_if(bindings, [&](const auto& each) { return each.metadata.name == name; });
          return found == bindings.end() ? nullptr : &*found;
        }) {}

  /// Gang by gang. That a gang's pods wait for their gates, and containers for others, makes no difference here.
  void run() {
    if (std::string problem = topology_.problem_text(); !problem.empty()) {
      expansion_.notes.push_back({workload_, std::move(problem)});
    }
    add_cliques();
    for (auto& [name, gang] : gangs_) {
      const auto& known = view_.objects.of<kube::PodGang>();
      const kube::PodGang* const there = find_among(known, gang.metadata.namespace_, name);
      if (there == nullptr) {
        expansion_.made.of<kube::PodGang>().push_back(std::move(gang));
      } else {
        revise(*there, gang);
      }
    }
  }

 private:
  /// The gang that is there, with the minimums of its cliques as they are asked for now.
  void revise(const kube::PodGang& there, const kube::PodGang& wanted) {
    kube::PodGang now = there;
    bool is_different = false;
    for (kube::GrovePodGroup& group : now.groups) {
      const auto asked = std::ranges::find(wanted.groups, group.name, &kube::GrovePodGroup::name);
      if (asked == wanted.groups.end() || asked->min_replicas == group.min_replicas) continue;
      group.min_replicas = asked->min_replicas;
      is_different = true;
    }
    if (is_different) expansion_.revised.of<kube::PodGang>().push_back(std::move(now));
  }

  void add_cliques() {
    for (std::int64_t replica = 0; replica < set_.replicas; ++replica) {
      add_service(replica);
      const kube::PodCliqueSet scaled = as_scaled(set_, replica, view_.objects);
      for_each_clique_in_replica(scaled, replica, [&](const CliqueOfSet& clique) { add_clique(clique); });
    }
  }

  void join_gang(const CliqueOfSet& of) {
    kube::PodGang& gang = gangs_[of.gang()];
    gang.metadata.name = of.gang();
    gang.metadata.namespace_ = set_.metadata.namespace_;
    gang.metadata.source = set_.metadata.source;
    gang.metadata.owner_references = {
        {std::string(kGroveVersion), "PodCliqueSet", set_.metadata.name, set_.metadata.uid, true}};
    gang.priority_class_name = set_.priority_class_name;
    gang.pack = topology_.of_gang(of);
    kube::GrovePodGroup& group = gang.groups.emplace_back();
    group.name = of.name();
    group.min_replicas = of.clique.spec.min_available.value_or(of.clique.spec.replicas);
    group.pack = topology_.of_clique(of.clique);
    share_place(topology_, of, gang.shared_constraints);
  }

  /// The template is the set's, also of a PodClique that is there, but not its replicas.
  void add_clique(const CliqueOfSet& of) {
    join_gang(of);
    kube::PodClique clique;
    clique.spec = of.clique.spec;
    clique.metadata.source = set_.metadata.source;
    clique.metadata.namespace_ = set_.metadata.namespace_;
    clique.metadata.name = of.name();
    const auto* const made =
        find_among(view_.objects.of<kube::PodClique>(), clique.metadata.namespace_, clique.metadata.name);
    if (made != nullptr) {
      clique.metadata.uid = made->metadata.uid;
      clique.spec.replicas = made->spec.replicas;
    }
    clique.metadata.labels = clique.spec.template_.metadata.labels;
    apply(clique_draft(of), clique.metadata);
    clique.spec.template_.metadata.labels = clique.metadata.labels;
    expand_clique(clique, workload_, view_, expansion_);
  }

  void add_service(std::int64_t replica) {
    kube::Service service;
    service.metadata.name = replica_name(set_, replica);
    service.metadata.namespace_ = set_.metadata.namespace_;
    service.metadata.source = set_.metadata.source;
    const auto& known = view_.objects.of<kube::Service>();
    if (find_among(known, service.metadata.namespace_, service.metadata.name) != nullptr) return;
    service.metadata.owner_references.push_back(
        {std::string(kGroveVersion), "PodCliqueSet", set_.metadata.name, set_.metadata.uid, true});
    service.selector = service_selector(set_, replica);
    expansion_.made.of<kube::Service>().push_back(std::move(service));
  }

  const kube::PodCliqueSet& set_;
  WorkloadReference workload_;
  const View& view_;
  Expansion& expansion_;
  CliqueTopology topology_;
  std::map<std::string, kube::PodGang> gangs_;  // by name
};

}  // namespace

std::map<std::string, std::int64_t> wanted_cliques(const kube::PodCliqueSet& set, const kube::Objects& objects) {
  std::map<std::string, std::int64_t> wanted;
  for (std::int64_t replica = 0; replica < set.replicas; ++replica) {
    for_each_clique_in_replica(as_scaled(set, replica, objects), replica, [&](const CliqueOfSet& clique) {
      const auto* const made = find_among(objects.of<kube::PodClique>(), set.metadata.namespace_, clique.name());
      wanted[clique.name()] = made == nullptr ? clique.clique.spec.replicas : made->spec.replicas;
    });
  }
  return wanted;
}

void expand(const kube::PodCliqueSet& set, const View& view, Expansion& expansion) {
  PodCliqueSetExpansion(set, view, expansion).run();
}

/// Its set makes its cliques: only there they are described.
void expand(const kube::PodCliqueScalingGroup&, const View&, Expansion&) {}

/// One that a set describes has its turn there.
void expand(const kube::PodClique& clique, const View& view, Expansion& expansion) {
  const WorkloadReference self{"PodClique", clique.metadata.namespace_, clique.metadata.name};
  const WorkloadReference top = view.owners.top_of(self);
  if (top.kind == "PodCliqueSet" && view.owners.knows(top)) return;
  kube::PodClique own = clique;
  own.spec.template_.metadata.labels = clique.metadata.labels;
  own.spec.template_.metadata.annotations = clique.metadata.annotations;
  expand_clique(own, top, view, expansion);
}

}  // namespace loadline::workloads
