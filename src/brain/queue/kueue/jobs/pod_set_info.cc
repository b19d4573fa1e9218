#include "brain/queue/kueue/jobs/pod_set_info.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "brain/queue/kueue/jobs/pod_set_info_text.h"
#include "foundation/base/contract.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/scalars.h"

namespace loadline::queue::kueue {
namespace {

/// "conflict for nodeSelector: conflict for key=…": both say something of one key. Empty: they agree.
std::string conflict(std::string_view field, const kube::StringMap& a, const kube::StringMap& b) {
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end() || other->second == value) continue;
    return conflict_text({field, key, value, other->second});
  }
  return {};
}

void add_tolerations(std::vector<kube::Toleration>& tolerations, const std::vector<kube::Toleration>& more) {
  for (const kube::Toleration& each : more) {
    if (std::ranges::find(tolerations, each) == tolerations.end()) tolerations.push_back(each);
  }
}

/// The labels, annotations and node selector of `from` are in `to`, too. An error: `to` has others.
Result<void> merge_into(kube::StringMap& annotations, kube::StringMap& labels, kube::StringMap& node_selector,
                        const PodSetInfo& from) {
  for (std::string problem :
       {conflict("annotations", annotations, from.annotations), conflict("labels", labels, from.labels),
        conflict("nodeSelector", node_selector, from.node_selector)}) {
    if (!problem.empty()) return failure(std::move(problem));
  }
  annotations.insert(from.annotations.begin(), from.annotations.end());
  labels.insert(from.labels.begin(), from.labels.end());
  node_selector.insert(from.node_selector.begin(), from.node_selector.end());
  return {};
}

Result<void> add_flavors(PodSetInfo& info, const kube::PodSetAssignment& assignment, const FindFlavor& find_flavor) {
  std::set<std::string_view> seen;
  for (const auto& [resource, name] : assignment.flavors) {
    if (!seen.insert(name).second) continue;
    const kube::ResourceFlavor* const flavor = find_flavor(name);
    if (flavor == nullptr) return failure(flavor_gone_text(name));
    for (const auto& [label, value] : flavor->node_labels) info.node_selector[label] = value;
    info.tolerations.insert(info.tolerations.end(), flavor->tolerations.begin(), flavor->tolerations.end());
  }
  return {};
}

Result<void> add_updates(PodSetInfo& info, const kube::AdmissionCheckStatus& check) {
  for (const kube::PodSetUpdate& update : check.pod_set_updates) {
    if (update.name != info.name) continue;
    const PodSetInfo more = {{}, 0, update.labels, update.annotations, update.node_selector, update.tolerations};
    if (const Result<void> merge = merge_into(info.annotations, info.labels, info.node_selector, more); !merge) {
      return failure(check_text(check.name, merge.error().message));
    }
    add_tolerations(info.tolerations, more.tolerations);
    break;
  }
  return {};
}

void add_labels(PodSetInfo& info, const kube::KueueWorkload& workload) {
  info.annotations.insert_or_assign(std::string(kube::kWorkloadAnnotation), workload.metadata.name);
  info.labels.insert_or_assign(std::string(kube::kPodSetLabel), info.name);
  info.labels.insert_or_assign(std::string(kube::kLocalQueueNameLabel), workload.queue_name);
  const std::string& queue = workload.status.admission->cluster_queue;
  if (kube::dns_label_problems(queue).empty())
    info.labels.insert_or_assign(std::string(kube::kClusterQueueNameLabel), queue);
}

}  // namespace

Result<std::vector<PodSetInfo>> pod_set_infos(const kube::KueueWorkload& workload, const FindFlavor& find_flavor) {
  REQUIRES(workload.status.admission.has_value());
  const std::vector<kube::PodSetAssignment>& assignments = workload.status.admission->pod_set_assignments;
  REQUIRES(assignments.size() == workload.pod_sets.size());
  std::vector<PodSetInfo> infos;
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    PodSetInfo info;
    info.name = assignments[i].name;
    info.count = assignments[i].count.value_or(workload.pod_sets[i].count);
    if (Result<void> added = add_flavors(info, assignments[i], find_flavor); !added) {
      return tl::unexpected(added.error());
    }
    add_labels(info, workload);
    for (const kube::AdmissionCheckStatus& check : workload.status.admission_checks) {
      if (Result<void> added = add_updates(info, check); !added) return tl::unexpected(added.error());
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

Result<kube::PodTemplateSpec> merged(kube::PodTemplateSpec pod_template, const PodSetInfo& info) {
  auto spec = std::make_shared<kube::PodSpec>(*pod_template.spec);
  kube::ObjectMeta& metadata = pod_template.metadata;
  if (Result<void> merge = merge_into(metadata.annotations, metadata.labels, spec->node_selector, info); !merge) {
    return tl::unexpected(merge.error());
  }
  add_tolerations(spec->tolerations, info.tolerations);
  pod_template.spec = std::move(spec);
  return pod_template;
}

kube::PodTemplateSpec restored(kube::PodTemplateSpec pod_template, const kube::PodSet& set) {
  auto spec = std::make_shared<kube::PodSpec>(*pod_template.spec);
  pod_template.metadata.labels = set.template_.metadata.labels;
  pod_template.metadata.annotations = set.template_.metadata.annotations;
  spec->node_selector = set.template_.spec->node_selector;
  spec->tolerations = set.template_.spec->tolerations;
  spec->scheduling_gates = set.template_.spec->scheduling_gates;
  pod_template.spec = std::move(spec);
  return pod_template;
}

}  // namespace loadline::queue::kueue
