#include "brain/workloads/owner_groups.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "brain/cluster/spellings/membership.h"
#include "brain/cluster/spellings/written_number.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/registry.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {

std::optional<std::int32_t> group_minimum(const kube::ObjectMeta& controller) {
  std::optional<std::int32_t> least = cluster::spellings::number_in(controller.annotations, kGroupMinMember);
  if (!least) least = cluster::spellings::number_in(controller.annotations, kElasticMinReplicas);
  if (!least || *least < 2) return std::nullopt;
  return least;
}

bool may_have_owner_group(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"ReplicaSet", "StatefulSet", "DaemonSet", "Job"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

std::string owner_group_name(std::string_view controller_uid) { return "podgroup-" + std::string(controller_uid); }

kube::VolcanoPodGroup owner_group(const kube::OwnerReference& reference, const kube::ObjectMeta& controller,
                                  std::string_view priority_class, std::int32_t minimum) {
  kube::VolcanoPodGroup group;
  group.metadata.name = owner_group_name(reference.uid);
  group.metadata.namespace_ = controller.namespace_;
  group.metadata.owner_references = {reference};
  group.metadata.source = controller.source;
  group.min_member = minimum;
  group.priority_class_name = priority_class;
  group.queue = "default";
  return group;
}

namespace {

/// The metadata of the controllers that say a minimum, by kind, namespace and name.
class MarkedOwners {
 public:
  explicit MarkedOwners(const kube::Objects& objects, const kube::Objects& made) {
    for (const kube::Objects* source : {&objects, &made}) {
      add<kube::Deployment>(*source);
      add<kube::ReplicaSet>(*source);
      add<kube::StatefulSet>(*source);
      add<kube::DaemonSet>(*source);
      add<kube::Job>(*source);
    }
  }

  [[nodiscard]] bool empty() const { return owners_.empty(); }
  [[nodiscard]] const kube::ObjectMeta* find(std::string_view kind, const std::string& name_space,
                                             const std::string& name) const {
    const auto found = owners_.find({std::string(kind), name_space, name});
    return found == owners_.end() ? nullptr : found->second;
  }

 private:
  template <class Kind>
  void add(const kube::Objects& objects) {
    for (const Kind& each : objects.of<Kind>()) {
      if (!group_minimum(each.metadata)) continue;
      owners_.emplace(Key(kube::kind_of<Kind>().kind, each.metadata.namespace_, each.metadata.name), &each.metadata);
    }
  }

  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, const kube::ObjectMeta*> owners_;
};

}  // namespace

void group_pods_of_owners(const kube::Objects& objects, Expansion& expansion) {
  const MarkedOwners owners(objects, expansion.made);
  if (owners.empty()) return;
  std::set<std::pair<std::string, std::string>> known;  // namespace, name
  for (const auto& each : objects.of<kube::VolcanoPodGroup>()) {
    known.emplace(each.metadata.namespace_, each.metadata.name);
  }
  std::vector<kube::VolcanoPodGroup> made;
  for (CreatedPod& created : expansion.pods) {
    kube::ObjectMeta& pod = created.pod.metadata;
    const kube::OwnerReference* owner = pod.controller();
    const bool is_asked = owner != nullptr && may_have_owner_group(owner->kind) &&
                          created.pod.spec->scheduler_name == kVolcanoScheduler &&
                          !cluster::spellings::group_of(created.pod);
    if (!is_asked) continue;
    const kube::ObjectMeta* marked = owners.find(owner->kind, pod.namespace_, owner->name);
    if (marked == nullptr && created.workload.kind == "Deployment") {
      marked = owners.find("Deployment", pod.namespace_, created.workload.name);
    }
    if (marked == nullptr) continue;
    const kube::VolcanoPodGroup group =
        owner_group(*owner, *marked, created.pod.spec->priority_class_name, *group_minimum(*marked));
    if (known.emplace(group.metadata.namespace_, group.metadata.name).second) made.push_back(group);
    pod.annotations.insert_or_assign(std::string(kube::kGroupNameAnnotation), group.metadata.name);
  }
  std::ranges::move(made, std::back_inserter(expansion.made.of<kube::VolcanoPodGroup>()));
}

}  // namespace loadline::workloads
