#include "hosts/operators/kueue/group_membership.h"

#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/held_job.h"
#include "hosts/operators/kueue/held_pods.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;
using watching::Action;

std::optional<Action> change_of_pod(const watching::Observed<kube::Pod>& pod, const Value& after) {
  return patch_between(watching::kind_name<kube::Pod>(), pod.document, after);
}

Value with_annotation(Value pod, std::string_view name, std::string_view value) {
  return document::with_at(std::move(pod), {"metadata", "annotations", name}, Value(value));
}

Value with_label(Value pod, std::string_view name, std::string_view value) {
  if (value.empty()) return pod;
  return document::with_at(std::move(pod), {"metadata", "labels", name}, Value(value));
}

}  // namespace

std::string_view holder_of(const kube::ObjectMeta& pod) {
  const auto found = pod.annotations.find(kSuspendedByParent);
  return found == pod.annotations.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<Action> enrol(const watching::Observed<kube::Pod>& pod, const GroupMembership& membership) {
  if (pod.is_being_deleted() || is_terminated(pod.view)) return std::nullopt;
  const bool is_member = pod_group_of(pod.metadata()) == membership.group;
  if (is_member && !is_gated_for_admission(pod.view)) return std::nullopt;
  Value after = with_label(pod.document, kManagedPod, "true");
  after = with_label(std::move(after), kube::kQueueName, membership.queue);
  after = with_label(std::move(after), kube::kWorkloadPriorityClassLabel, membership.priority_class);
  after = with_annotation(std::move(after), kube::kPrebuiltWorkloadName, membership.group);
  after = with_annotation(std::move(after), kube::kPodGroupName, membership.group);
  after = with_annotation(std::move(after), kube::kPodGroupTotalCount, std::to_string(membership.total));
  after = with_annotation(std::move(after), kServing, "true");
  after = with_annotation(std::move(after), kRoleHash, membership.role);
  if (membership.is_admitted_fast) after = with_annotation(std::move(after), kFastAdmission, "true");
  return change_of_pod(pod, after);
}

bool is_of_old_revision(const kube::StatefulSet* set, const kube::ObjectMeta& pod) {
  if (set == nullptr) return true;
  const auto revision = pod.labels.find(kube::kControllerRevisionHash);
  return set->status.current_revision != set->status.update_revision && revision != pod.labels.end() &&
         revision->second == set->status.current_revision;
}

std::optional<Action> ungate(const watching::Observed<kube::Pod>& pod) {
  if (!is_gated_for_admission(pod.view)) return std::nullopt;
  return change_of_pod(pod, without_gates(pod.document));
}

std::string label_of_object(const kube::ObjectMeta& object, std::string_view name) {
  const auto found = object.labels.find(name);
  return found == object.labels.end() ? std::string() : found->second;
}

}  // namespace loadline::operators::kueue
