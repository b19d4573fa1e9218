#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/group_description.h"
#include "brain/cluster/spellings/group_name.h"
#include "objects/kube/core/pod.h"

namespace loadline::cluster::spellings {

/// A group of a cluster: its namespace, and what it is called there.
using GroupKey = std::pair<std::string, GroupName>;

/// A group, and where a pod names it.
struct NamedGroup {
  GroupName group;
  std::string field;  ///< "metadata.labels[scheduling.x-k8s.io/pod-group]"
};

/// The group that the pod belongs to: the first that it names, in the order of GroupSpelling. Nothing: it starts by
/// itself. O(labels + annotations that are looked up), a few.
[[nodiscard]] std::optional<GroupName> group_of(const kube::ObjectMeta& metadata, const kube::PodSpec& spec);
[[nodiscard]] inline std::optional<GroupName> group_of(const kube::Pod& pod) {
  return group_of(pod.metadata, *pod.spec);
}

/// All that it names, the one that counts first.
[[nodiscard]] std::vector<NamedGroup> groups_named_by(const kube::ObjectMeta& metadata, const kube::PodSpec& spec);

/// Takes away all by which the metadata names groups.
void forget_groups(kube::ObjectMeta& metadata);

/// What the pod itself says of its group, in spellings that have no object for it. Nothing: it says nothing, or what it
/// says cannot be read, so that the group waits.
[[nodiscard]] std::optional<GroupDescription> described_by(const GroupName& group, const kube::ObjectMeta& metadata);

/// Whether groups of the spelling have objects that describe them.
[[nodiscard]] constexpr bool has_objects(GroupSpelling spelling) {
  return spelling != GroupSpelling::kKueue && spelling != GroupSpelling::kKoordinator;
}

/// What is to be written to describe a group of that spelling: "PodGroup (scheduling.x-k8s.io)",
/// "annotation kueue.x-k8s.io/pod-group-total-count".
[[nodiscard]] std::string_view described_in(GroupSpelling spelling);

/// The word for a group of that spelling: "PodGroup", "PodGang", "pod group".
[[nodiscard]] std::string_view word_for(GroupSpelling spelling);

/// Where pods name a group of that spelling: "spec.schedulingGroup.podGroupName".
[[nodiscard]] std::string_view named_in(GroupSpelling spelling);

/// Where the minimum of a group of that spelling is written: "minCount".
[[nodiscard]] std::string_view minimum_field(GroupSpelling spelling);

/// Whose words these are, for machine formats: "scheduling.k8s.io".
[[nodiscard]] std::string_view api_group(GroupSpelling spelling);

}  // namespace loadline::cluster::spellings
