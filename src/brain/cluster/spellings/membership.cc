#include "brain/cluster/spellings/membership.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "brain/cluster/spellings/coscheduling.h"
#include "brain/cluster/spellings/kai.h"
#include "brain/cluster/spellings/koordinator.h"
#include "brain/cluster/spellings/kubernetes.h"
#include "brain/cluster/spellings/kueue.h"
#include "brain/cluster/spellings/volcano.h"
#include "objects/kube/workload_names.h"

namespace loadline::cluster::spellings {
namespace {

/// Looks at what a pod may name groups by, in the order in which they count, and hands each to `found`, until that
/// returns false: the spelling, the group's name, and the map of the metadata ("" for the spec's field) with its key.
template <class Found>
void look(const kube::ObjectMeta& metadata, const kube::PodSpec& spec, Found found) {
  const kube::StringMap& labels = metadata.labels;
  const kube::StringMap& annotations = metadata.annotations;
  const auto named_in = [&](const kube::StringMap& entries, std::string_view key) -> const std::string* {
    const auto entry = entries.find(key);
    return entry == entries.end() || entry->second.empty() ? nullptr : &entry->second;
  };
  if (!spec.pod_group_name.empty() && !found(GroupSpelling::kKubernetes, spec.pod_group_name, "", kKubernetesField)) {
    return;
  }
  if (labels.empty() && annotations.empty()) return;
  const auto tell = [&](GroupSpelling spelling, const kube::StringMap& entries, std::string_view key) {
    const std::string* name = named_in(entries, key);
    const std::string_view map = &entries == &labels ? "metadata.labels" : "metadata.annotations";
    return name == nullptr || found(spelling, *name, map, key);
  };
  if (!tell(GroupSpelling::kCoscheduling, labels, kCoschedulingLabel)) return;
  for (const std::string_view key : kVolcanoAnnotations) {
    if (named_in(annotations, key) == nullptr) continue;
    if (!tell(GroupSpelling::kVolcano, annotations, key)) return;
    break;
  }
  if (labels.contains(kKueueQueueLabel) && !tell(GroupSpelling::kKueue, labels, kKueueLabel)) return;
  if (named_in(annotations, kKoordinatorAnnotation) != nullptr) {
    if (!tell(GroupSpelling::kKoordinator, annotations, kKoordinatorAnnotation)) return;
  } else if (!tell(GroupSpelling::kKoordinator, labels, kKoordinatorLabel)) {
    return;
  }
  if (is_of_kai(metadata, spec) && !tell(GroupSpelling::kKai, annotations, kKaiAnnotation)) return;
  tell(GroupSpelling::kGrove, labels, kube::kGrovePodGang);
}

}  // namespace

std::optional<GroupName> group_of(const kube::ObjectMeta& metadata, const kube::PodSpec& spec) {
  std::optional<GroupName> first;
  look(metadata, spec, [&](GroupSpelling spelling, const std::string& name, std::string_view, std::string_view) {
    first = GroupName{spelling, name};
    return false;
  });
  return first;
}

std::vector<NamedGroup> groups_named_by(const kube::ObjectMeta& metadata, const kube::PodSpec& spec) {
  std::vector<NamedGroup> all;
  look(metadata, spec,
       [&](GroupSpelling spelling, const std::string& name, std::string_view map, std::string_view key) {
         all.push_back({{spelling, name}, map.empty() ? std::string(key) : fmt::format("{}[{}]", map, key)});
         return true;
       });
  return all;
}

void forget_groups(kube::ObjectMeta& metadata) {
  for (const std::string_view label : {kCoschedulingLabel, kKueueLabel, kKoordinatorLabel, kube::kGrovePodGang}) {
    if (metadata.labels.contains(label)) metadata.labels.erase(std::string(label));
  }
  for (const std::string_view annotation :
       {kVolcanoAnnotations[0], kVolcanoAnnotations[1], kKoordinatorAnnotation, kKaiAnnotation}) {
    if (metadata.annotations.contains(annotation)) metadata.annotations.erase(std::string(annotation));
  }
}

std::optional<GroupDescription> described_by(const GroupName& group, const kube::ObjectMeta& metadata) {
  std::optional<GroupDescription> said;
  if (group.spelling == GroupSpelling::kKueue) said = describe_by_kueue(metadata);
  if (group.spelling == GroupSpelling::kKoordinator) said = describe_by_koordinator(metadata);
  if (!said) return std::nullopt;
  said->name_space = metadata.namespace_;
  said->group = group;
  return said;
}

namespace {

/// What people call the parts of a spelling.
struct Words {
  std::string_view api_group;
  std::string_view described_in;
  std::string_view named_in;
  std::string_view minimum;
};

// In the order of GroupSpelling.
constexpr Words kWords[] = {
    {"scheduling.k8s.io", "PodGroup", kKubernetesField, "minCount"},
    {"scheduling.x-k8s.io", "PodGroup (scheduling.x-k8s.io/v1alpha1)", "the label scheduling.x-k8s.io/pod-group",
     "minMember"},
    {"scheduling.volcano.sh", "PodGroup (scheduling.volcano.sh/v1beta1)", "the annotation scheduling.k8s.io/group-name",
     "minMember"},
    {"kueue.x-k8s.io", "annotation kueue.x-k8s.io/pod-group-total-count", "the label kueue.x-k8s.io/pod-group-name",
     "pod-group-total-count"},
    {"gang.scheduling.koordinator.sh", "annotation gang.scheduling.koordinator.sh/min-available",
     "the annotation gang.scheduling.koordinator.sh/name", "min-available"},
    {"scheduling.run.ai", "PodGroup (scheduling.run.ai/v2alpha2)", "the annotation pod-group-name", "minMember"},
    {"scheduler.grove.io", "PodGang (scheduler.grove.io/v1alpha1)", "the label grove.io/podgang", "minReplicas"},
};
static_assert(std::size(kWords) == static_cast<std::size_t>(GroupSpelling::kGrove) + 1);

const Words& words_of(GroupSpelling spelling) { return kWords[static_cast<std::size_t>(spelling)]; }

}  // namespace

std::string_view described_in(GroupSpelling spelling) { return words_of(spelling).described_in; }
std::string_view named_in(GroupSpelling spelling) { return words_of(spelling).named_in; }
std::string_view minimum_field(GroupSpelling spelling) { return words_of(spelling).minimum; }
std::string_view api_group(GroupSpelling spelling) { return words_of(spelling).api_group; }

std::string_view word_for(GroupSpelling spelling) {
  if (!has_objects(spelling)) return "pod group";
  return spelling == GroupSpelling::kGrove ? "PodGang" : "PodGroup";
}

}  // namespace loadline::cluster::spellings
