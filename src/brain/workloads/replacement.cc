#include "brain/workloads/replacement.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include "brain/workloads/kinds.h"
#include "brain/workloads/names.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/workload.h"

namespace loadline::workloads {
namespace {

/// The object of that kind that the reference means, or null.
template <class Kind>
const Kind* find(const std::vector<Kind>& objects, std::string_view namespace_, std::string_view name) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Kind& item) {
    return item.metadata.name == name && item.metadata.namespace_ == namespace_;
  });
  return found == objects.end() ? nullptr : &*found;
}

/// Whether the object, if it was read, wants no pods at all.
template <class Kind>
bool wants_none(const Kind* object) {
  if (object == nullptr) return false;
  const PodSets sets = pod_sets(*object);
  const bool is_empty =
      std::none_of(sets.begin(), sets.end(), [](const PodSet& set) { return set.count > 0 || set.is_per_node; });
  return is_empty || is_suspended(*object) || object->metadata.deletion_timestamp;
}

/// The Deployment above a pod's ReplicaSet, or null if it was not read.
const kube::Deployment* deployment_of(const kube::Pod& gone, const kube::ReplicaSet* replica_set,
                                      const kube::Objects& objects) {
  const kube::OwnerReference* const above = replica_set == nullptr ? nullptr : replica_set->metadata.controller();
  if (above != nullptr) return find(objects.of<kube::Deployment>(), gone.metadata.namespace_, above->name);
  const WorkloadReference guess = owner_of(gone, kube::Objects());
  return guess.kind == "Deployment" ? find(objects.of<kube::Deployment>(), guess.namespace_, guess.name) : nullptr;
}

bool wants_none(const kube::Pod& gone, const kube::OwnerReference& controller, const kube::Objects& objects) {
  bool none = false;
  for_kind(kind_of(controller), [&]<class Kind>() {
    const Kind* const owner = find(objects.of<Kind>(), gone.metadata.namespace_, controller.name);
    none = wants_none(owner);
    if constexpr (std::is_same_v<Kind, kube::ReplicaSet>) none |= wants_none(deployment_of(gone, owner, objects));
  });
  return none;
}

/// What the name was generated from: generateName, or else the name less its last word (and five characters at most).
std::string base_of(const kube::ObjectMeta& metadata) {
  if (!metadata.generate_name.empty()) return metadata.generate_name;
  const std::size_t dash = metadata.name.rfind('-');
  return dash == std::string::npos ? metadata.name + "-" : metadata.name.substr(0, dash + 1);
}

}  // namespace

std::optional<kube::Pod> replace(const kube::Pod& gone, const kube::Objects& objects, std::uint64_t generation,
                                 std::uint64_t seed) {
  const kube::OwnerReference* const controller = gone.metadata.controller();
  if (controller == nullptr || controller->kind == "Node" || wants_none(gone, *controller, objects)) {
    return std::nullopt;
  }
  kube::Pod pod;
  pod.metadata = gone.metadata;
  pod.metadata.uid.clear();
  pod.metadata.creation_timestamp.reset();
  pod.metadata.deletion_timestamp.reset();
  pod.metadata.deletion_grace_period_seconds.reset();
  pod.spec = gone.spec;
  if (!gone.spec->node_name.empty()) {
    auto spec = std::make_shared<kube::PodSpec>(*gone.spec);
    spec->node_name.clear();
    pod.spec = std::move(spec);
  }
  if (controller->kind != "StatefulSet") {
    const WorkloadReference owner{controller->kind, gone.metadata.namespace_, controller->name};
    // Counted from the end, so that no replacement takes a name that expansion gives.
    const std::uint64_t number = kSuffixes - 1 - generation % kSuffixes;
    pod.metadata.generate_name = base_of(gone.metadata);
    pod.metadata.name = Names(seed, owner.to_string()).generate(pod.metadata.generate_name, number);
  }
  return pod;
}

}  // namespace loadline::workloads
