#include "hosts/operators/grove/pod_gangs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "brain/workloads/pod_clique_set.h"
#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/grove/clique_status.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;

constexpr std::string_view kGroveDomain = "grove.io/";
constexpr std::string_view kInitialized = "Initialized";

/// What the set's author wrote, but for what is Grove's own.
Value mirrored(const kube::StringMap& entries) {
  Value map(Object{});
  for (const auto& [name, value] : entries) {
    if (!name.starts_with(kGroveDomain)) map = std::move(map).with(name, Value(value));
  }
  return map;
}

std::string_view scheduler_of(const kube::PodCliqueSet& set) {
  for (const kube::CliqueTemplate& clique : set.cliques) {
    const auto& spec = clique.spec.template_.spec;
    if (spec != nullptr && !spec->scheduler_name.empty()) return spec->scheduler_name;
  }
  return "default-scheduler";
}

Value status_of(bool is_complete, std::int64_t generation, Instant now) {
  Value condition(
      Object{{"type", Value(kInitialized), {}},
             {"status", Value(is_complete ? "True" : "False"), {}},
             {"observedGeneration", Value(generation), {}},
             {"lastTransitionTime", Value(format_rfc3339(controllers::whole_seconds(now))), {}},
             {"reason", Value(is_complete ? "PodGangPodsCreated" : "PodGangPodsCreationPending"), {}},
             {"message",
              Value(is_complete ? "PodGang is fully initialized" : "Not all constituent pods have been created yet"),
              {}}});
  return Value(Object{{"phase", Value("Pending"), {}}, {"conditions", Value(Array{std::move(condition)}), {}}});
}

/// The member topologyConstraint, if it asks for anything.
void add_topology(const kube::GrovePackConstraint& pack, Object& object) {
  Object constraint;
  if (!pack.required.empty()) constraint.push_back({"required", Value(pack.required), {}});
  if (!pack.preferred.empty()) constraint.push_back({"preferred", Value(pack.preferred), {}});
  if (constraint.empty()) return;
  object.push_back({"topologyConstraint", Value(Object{{"packConstraint", Value(std::move(constraint)), {}}}), {}});
}

}  // namespace

workloads::FindBinding binding_in(const watching::Caches& caches) {
  return [&caches](std::string_view name) -> const kube::ClusterTopologyBinding* {
    const auto found = caches.of<kube::ClusterTopologyBinding>().find("", name);
    return found == nullptr ? nullptr : &found->view;
  };
}

PodGangsPlan::PodGangsPlan(const watching::Observed<kube::PodCliqueSet>& set, const watching::Caches& caches,
                           std::int64_t looked_at, Instant now)
    : set_(set), caches_(caches), now_(now), left_(controllers::kBurst), topology_(set.view, binding_in(caches)) {
  is_about_all_ = looked_at >= set.view.replicas;
  for (std::int64_t replica = 0; replica < looked_at; ++replica) add_replica(replica);
  are_complete_ =
      is_about_all_ && std::ranges::all_of(gangs_, [](const auto& each) { return each.second.is_complete; });
}

void PodGangsPlan::add_replica(std::int64_t replica) {
  const kube::PodCliqueSet& set = set_.view;
  for (const kube::CliqueTemplate& clique : set.cliques) {
    if (workloads::scaling_group_of(set, clique.name) != nullptr) continue;
    const workloads::CliqueOfSet of{set, clique, replica};
    add_clique(of);
  }
  for (const kube::CliqueScalingGroup& group : set.scaling_groups) add_group(replica, group);
}

/// As many replicas as the group has that is there, and those that it needs in any case; but of those that are to come
/// no more than a batch.
std::int64_t PodGangsPlan::looked_at_of(const kube::CliqueScalingGroup& group,
                                        const kube::PodCliqueScalingGroup* made) {
  const std::int64_t least = workloads::least_available(group);
  const std::int64_t wanted =
      std::max<std::int64_t>(made == nullptr ? group.replicas.value_or(1) : made->replicas, least);
  std::set<std::int64_t> there;
  if (made != nullptr) {
    for (const auto& [key, clique] : caches_.of<kube::PodClique>().controlled_by(made->metadata.uid)) {
      if (const auto index = index_of(clique->metadata(), kube::kGroveScalingGroupIndex)) there.insert(*index);
    }
  }
  const std::int64_t known = std::max(least, static_cast<std::int64_t>(there.size()));
  const auto more = std::min<std::int64_t>(std::max<std::int64_t>(wanted - known, 0), static_cast<std::int64_t>(left_));
  left_ -= static_cast<std::size_t>(more);
  if (known + more < wanted) is_about_all_ = false;
  return std::min(wanted, known + more);
}

void PodGangsPlan::add_group(std::int64_t replica, const kube::CliqueScalingGroup& group) {
  const kube::PodCliqueSet& set = set_.view;
  const auto made = caches_.of<kube::PodCliqueScalingGroup>().find(set.metadata.namespace_,
                                                                   workloads::scaling_group_name(set, replica, group));
  const std::int64_t replicas = looked_at_of(group, made == nullptr ? nullptr : &made->view);
  for (std::int64_t index = 0; index < replicas; ++index) {
    for (const std::string& name : group.cliques) {
      const kube::CliqueTemplate* const clique = workloads::find_clique(set, name);
      if (clique == nullptr) continue;
      const workloads::CliqueOfSet of{set, *clique, replica, &group, index};
      add_clique(of);
    }
  }
}

void PodGangsPlan::add_clique(const workloads::CliqueOfSet& of) {
  const std::string gang_name = of.gang();
  const std::string name = of.name();
  Gang& gang = gangs_[gang_name];
  gang.pack = topology_.of_gang(of);
  share_place(topology_, of, gang.shared);
  Array references;
  const std::string& name_space = set_.metadata().namespace_;
  const auto clique = caches_.of<kube::PodClique>().find(name_space, name);
  if (clique != nullptr) {
    for (const auto& [key, pod] : caches_.of<kube::Pod>().controlled_by(clique->metadata().uid)) {
      if (pod->is_being_deleted() || label_of(pod->metadata(), kube::kGrovePodGang) != gang_name) continue;
      references.emplace_back(Object{{"namespace", Value(name_space), {}}, {"name", Value(pod->metadata().name), {}}});
    }
  }
  const auto count = static_cast<std::int32_t>(references.size());
  if (clique == nullptr || count < clique->view.spec.replicas) gang.is_complete = false;
  Object group{{"name", Value(name), {}},
               {"podReferences", Value(std::move(references)), {}},
               {"minReplicas", Value(std::int64_t{least_available(of.clique.spec)}), {}}};
  add_topology(topology_.of_clique(of.clique), group);
  gang.groups.emplace_back(std::move(group));
}

Value PodGangsPlan::document_of(const std::string& name, const Gang& gang) const {
  const kube::ObjectMeta& set = set_.metadata();
  workloads::ObjectDraft::Entries labels = workloads::grove_labels(set.name);
  labels.emplace_back(kube::kComponent, "podgang");
  labels.emplace_back(kube::kGroveSchedulerName, std::string(scheduler_of(set_.view)));
  Object metadata{
      {"name", Value(name), {}},
      {"namespace", Value(set.namespace_), {}},
      {"labels", controllers::with_entries(mirrored(set.labels), labels), {}},
      {"ownerReferences", Value(Array{controllers::controller_reference(kind_name<kube::PodCliqueSet>(), set)}), {}}};
  Value annotations = mirrored(set.annotations);
  if (!annotations.object().empty()) metadata.push_back({"annotations", std::move(annotations), {}});
  Object spec{{"podgroups", Value(Array(gang.groups)), {}}};
  if (!set_.view.priority_class_name.empty()) {
    spec.push_back({"priorityClassName", Value(set_.view.priority_class_name), {}});
  }
  add_topology(gang.pack, spec);
  Array shared;
  for (const kube::GroveSharedConstraint& each : gang.shared) {
    Array names;
    for (const std::string& group : each.groups) names.emplace_back(group);
    Object config{{"name", Value(each.name), {}}, {"podGroupNames", Value(std::move(names)), {}}};
    add_topology(each.pack, config);
    shared.emplace_back(std::move(config));
  }
  if (!shared.empty()) spec.push_back({"topologyConstraintGroupConfigs", Value(std::move(shared)), {}});
  return Value(Object{{"apiVersion", Value(kind_name<PodGang>().api_version()), {}},
                      {"kind", Value("PodGang"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", Value(std::move(spec)), {}}});
}

void PodGangsPlan::carry_out(watching::Reconciliation& result) const {
  for (const auto& [key, gang] : caches_.of<PodGang>().controlled_by(set_.metadata().uid)) {
    if (!is_about_all_) break;  // it may be of a replica that was not looked at
    if (gangs_.contains(key.name) || gang->is_being_deleted()) continue;
    Action action = watching::remove(kind_name<PodGang>(), key, gang->metadata().uid);
    action.said_when_done = Event{watching::reference_to(set_), Event::Type::kNormal, "PodGangDeleteSuccessful",
                                  fmt::format("Deleted PodGang {}", key.to_string())};
    result.then(std::move(action));
  }
  for (const auto& [name, gang] : gangs_) {
    const auto known = caches_.of<PodGang>().find(set_.metadata().namespace_, name);
    if (known == nullptr) {
      make(name, gang, result);
    } else if (!known->is_being_deleted()) {
      mend(*known, gang, result);
    }
  }
}

void PodGangsPlan::make(const std::string& name, const Gang& gang, watching::Reconciliation& result) const {
  Action action = watching::create(kind_name<PodGang>(), set_.metadata().namespace_, document_of(name, gang));
  const std::string title = set_.metadata().namespace_ + '/' + name;
  action.said_when_done = Event{watching::reference_to(set_), Event::Type::kNormal, "PodGangCreateOrUpdateSuccessful",
                                fmt::format("Created/Updated PodGang {}", title)};
  action.said_if_failed = Event{watching::reference_to(set_), Event::Type::kWarning, "PodGangCreateOrUpdateFailed",
                                fmt::format("Error Creating/Updating PodGang {}: ", title)};
  result.then(std::move(action));
}

void PodGangsPlan::mend(const watching::Observed<PodGang>& known, const Gang& gang,
                        watching::Reconciliation& result) const {
  const Value wanted = document_of(known.metadata().name, gang);
  Value changed = document::with_at(known.document, {"spec"}, document::value_at(wanted, {"spec"}));
  changed =
      document::with_at(std::move(changed), {"metadata", "labels"}, document::value_at(wanted, {"metadata", "labels"}));
  if (!document::same_document(changed, known.document)) {
    result.then(watching::update(kind_name<PodGang>(), known.key(), std::move(changed)));
    return;  // its status is seen to once this has been
  }
  const Value* const condition = kube::find_condition(known.document, kInitialized);
  const bool was_complete = condition != nullptr && document::text_at(*condition, {"status"}) == "True";
  if (condition != nullptr && (was_complete || !gang.is_complete)) return;
  result.then(watching::update_status(
      kind_name<PodGang>(), known.key(),
      Value(known.document).with("status", status_of(gang.is_complete, known.metadata().generation, now_))));
}

}  // namespace loadline::operators
