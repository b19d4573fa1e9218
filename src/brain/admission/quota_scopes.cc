#include "brain/admission/quota_scopes.h"

#include <algorithm>
#include <string>

#include "objects/kube/pod_resources.h"

namespace loadline::admission {
namespace {

using kube::LabelSelectorOperator;
using kube::ResourceQuotaScope;

/// The scope's operator on a name; an empty name counts as absent.
bool name_selected(const kube::ScopedResourceSelectorRequirement& scope, const std::string& name) {
  const bool listed = std::find(scope.values.begin(), scope.values.end(), name) != scope.values.end();
  switch (scope.op) {
    case LabelSelectorOperator::kIn:
      return !name.empty() && listed;
    case LabelSelectorOperator::kNotIn:
      return name.empty() || !listed;
    case LabelSelectorOperator::kExists:
      return !name.empty();
    case LabelSelectorOperator::kDoesNotExist:
      return name.empty();
  }
  return false;
}

bool crosses_namespaces(const kube::PodAffinityTerm& term) {
  return !term.namespaces.empty() || term.namespace_selector.has_value();
}

bool crosses_namespaces(const std::optional<kube::PodAffinity>& affinity) {
  return affinity &&
         (std::any_of(affinity->required.begin(), affinity->required.end(),
                      [](const kube::PodAffinityTerm& term) { return crosses_namespaces(term); }) ||
          std::any_of(affinity->preferred.begin(), affinity->preferred.end(),
                      [](const kube::WeightedPodAffinityTerm& weighted) { return crosses_namespaces(weighted.term); }));
}

bool terminating(const kube::PodSpec& pod) { return pod.active_deadline_seconds && *pod.active_deadline_seconds >= 0; }

bool best_effort(const kube::PodSpec& pod) { return pod_qos(pod) == kube::QosClass::kBestEffort; }

}  // namespace

bool in_scope(const kube::ScopedResourceSelectorRequirement& scope, const kube::PodSpec& pod) {
  switch (scope.scope) {
    case ResourceQuotaScope::kTerminating:
      return terminating(pod);
    case ResourceQuotaScope::kNotTerminating:
      return !terminating(pod);
    case ResourceQuotaScope::kBestEffort:
      return best_effort(pod);
    case ResourceQuotaScope::kNotBestEffort:
      return !best_effort(pod);
    case ResourceQuotaScope::kPriorityClass:
      return name_selected(scope, pod.priority_class_name);
    case ResourceQuotaScope::kCrossNamespacePodAffinity:
      return pod.affinity && (crosses_namespaces(pod.affinity->pod) || crosses_namespaces(pod.affinity->pod_anti));
    case ResourceQuotaScope::kVolumeAttributesClass:
      return false;
  }
  return false;
}

bool in_scope(const kube::ScopedResourceSelectorRequirement& scope, const kube::PersistentVolumeClaimSpec& claim) {
  return scope.scope == ResourceQuotaScope::kVolumeAttributesClass &&
         name_selected(scope, claim.volume_attributes_class_name);
}

}  // namespace loadline::admission
