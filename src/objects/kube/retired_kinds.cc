#include "objects/kube/retired_kinds.h"

#include <ranges>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/registry.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/storage/storage.h"

namespace loadline::kube {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kAppsV1 = "apps/v1";
constexpr std::string_view kBatchV1 = "batch/v1";
constexpr std::string_view kPolicyV1 = "policy/v1";
constexpr std::string_view kSchedulingV1 = "scheduling.k8s.io/v1";
constexpr std::string_view kStorageV1 = "storage.k8s.io/v1";
constexpr std::string_view kNetworkingV1 = "networking.k8s.io/v1";
constexpr std::string_view kAutoscalingV2 = "autoscaling/v2";
constexpr std::string_view kRbacV1 = "rbac.authorization.k8s.io/v1";
constexpr std::string_view kAdmissionV1 = "admissionregistration.k8s.io/v1";
constexpr std::string_view kFlowControlV1 = "flowcontrol.apiserver.k8s.io/v1";
constexpr std::string_view kGone;

// clang-format off
constexpr RetiredKind kRetiredKinds[] = {
    {"extensions/v1beta1", "Deployment", "v1.16", kAppsV1},
    {"extensions/v1beta1", "ReplicaSet", "v1.16", kAppsV1},
    {"extensions/v1beta1", "DaemonSet", "v1.16", kAppsV1},
    {"extensions/v1beta1", "NetworkPolicy", "v1.16", kNetworkingV1},
    {"extensions/v1beta1", "PodSecurityPolicy", "v1.16", kGone},
    {"extensions/v1beta1", "Ingress", "v1.22", kNetworkingV1},
    {"apps/v1beta1", "Deployment", "v1.16", kAppsV1},
    {"apps/v1beta1", "StatefulSet", "v1.16", kAppsV1},
    {"apps/v1beta1", "ControllerRevision", "v1.16", kAppsV1},
    {"apps/v1beta2", "Deployment", "v1.16", kAppsV1},
    {"apps/v1beta2", "ReplicaSet", "v1.16", kAppsV1},
    {"apps/v1beta2", "StatefulSet", "v1.16", kAppsV1},
    {"apps/v1beta2", "DaemonSet", "v1.16", kAppsV1},
    {"apps/v1beta2", "ControllerRevision", "v1.16", kAppsV1},
    {"batch/v2alpha1", "CronJob", "v1.21", kBatchV1},
    {"batch/v1beta1", "CronJob", "v1.25", kBatchV1},
    {"policy/v1beta1", "PodDisruptionBudget", "v1.25", kPolicyV1},
    {"policy/v1beta1", "PodSecurityPolicy", "v1.25", kGone},
    {"scheduling.k8s.io/v1alpha1", "PriorityClass", "v1.22", kSchedulingV1},
    {"scheduling.k8s.io/v1beta1", "PriorityClass", "v1.22", kSchedulingV1},
    {"storage.k8s.io/v1beta1", "StorageClass", "v1.22", kStorageV1},
    {"storage.k8s.io/v1beta1", "CSINode", "v1.22", kStorageV1},
    {"storage.k8s.io/v1beta1", "CSIDriver", "v1.22", kStorageV1},
    {"storage.k8s.io/v1beta1", "VolumeAttachment", "v1.22", kStorageV1},
    {"storage.k8s.io/v1alpha1", "VolumeAttachment", "v1.24", kStorageV1},
    {"storage.k8s.io/v1alpha1", "CSIStorageCapacity", "v1.24", kStorageV1},
    {"storage.k8s.io/v1beta1", "CSIStorageCapacity", "v1.27", kStorageV1},
    {"networking.k8s.io/v1beta1", "Ingress", "v1.22", kNetworkingV1},
    {"networking.k8s.io/v1beta1", "IngressClass", "v1.22", kNetworkingV1},
    {"autoscaling/v2beta1", "HorizontalPodAutoscaler", "v1.25", kAutoscalingV2},
    {"autoscaling/v2beta2", "HorizontalPodAutoscaler", "v1.26", kAutoscalingV2},
    {"rbac.authorization.k8s.io/v1alpha1", "ClusterRole", "v1.22", kRbacV1},
    {"rbac.authorization.k8s.io/v1alpha1", "ClusterRoleBinding", "v1.22", kRbacV1},
    {"rbac.authorization.k8s.io/v1alpha1", "Role", "v1.22", kRbacV1},
    {"rbac.authorization.k8s.io/v1alpha1", "RoleBinding", "v1.22", kRbacV1},
    {"rbac.authorization.k8s.io/v1beta1", "ClusterRole", "v1.22", kRbacV1},
    {"rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding", "v1.22", kRbacV1},
    {"rbac.authorization.k8s.io/v1beta1", "Role", "v1.22", kRbacV1},
    {"rbac.authorization.k8s.io/v1beta1", "RoleBinding", "v1.22", kRbacV1},
    {"apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", "v1.22", "apiextensions.k8s.io/v1"},
    {"apiregistration.k8s.io/v1beta1", "APIService", "v1.22", "apiregistration.k8s.io/v1"},
    {"admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", "v1.22", kAdmissionV1},
    {"admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", "v1.22", kAdmissionV1},
    {"certificates.k8s.io/v1beta1", "CertificateSigningRequest", "v1.22", "certificates.k8s.io/v1"},
    {"coordination.k8s.io/v1beta1", "Lease", "v1.22", "coordination.k8s.io/v1"},
    {"discovery.k8s.io/v1beta1", "EndpointSlice", "v1.25", "discovery.k8s.io/v1"},
    {"events.k8s.io/v1beta1", "Event", "v1.25", "events.k8s.io/v1"},
    {"node.k8s.io/v1beta1", "RuntimeClass", "v1.25", "node.k8s.io/v1"},
    {"flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", "v1.26", kFlowControlV1},
    {"flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration", "v1.26", kFlowControlV1},
    {"flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema", "v1.29", kFlowControlV1},
    {"flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfiguration", "v1.29", kFlowControlV1},
    {"flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", "v1.32", kFlowControlV1},
    {"flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration", "v1.32", kFlowControlV1},
};
// clang-format on

/// Whether that version took the selector of a workload from the labels of its template.
bool fills_in_selector(const RetiredKind& retired) {
  return retired.api_version == "extensions/v1beta1" || retired.api_version == "apps/v1beta1";
}

/// The labels of the template of a workload whose selector the old version filled in; null if it did not.
const Value* filled_in_labels(const Value& object, const RetiredKind& retired) {
  if (!fills_in_selector(retired) || document::find_at(object, {"spec", "selector"}) != nullptr) return nullptr;
  const Value* labels = document::find_at(object, {"spec", "template", "metadata", "labels"});
  return labels != nullptr && labels->is_object() && !labels->object().empty() ? labels : nullptr;
}

}  // namespace

const RetiredKind* find_retired_kind(std::string_view api_version, std::string_view name) {
  for (const RetiredKind& retired : kRetiredKinds) {
    if (retired.kind == name && retired.api_version == api_version) return &retired;
  }
  return nullptr;
}

std::vector<std::string_view> retired_versions(std::string_view successor, std::string_view kind) {
  std::vector<std::string_view> versions;
  for (const RetiredKind& retired : kRetiredKinds | std::views::reverse) {  // the table goes from old to new
    if (retired.kind == kind && retired.successor == successor) versions.push_back(retired.api_version);
  }
  return versions;
}

std::string retired_message(const RetiredKind& retired) {
  const std::string kind = " " + std::string(retired.kind);
  std::string text =
      std::string(retired.api_version) + kind + " is unavailable in " + std::string(retired.unavailable_since) + "+";
  if (!retired.successor.empty()) text += "; use " + std::string(retired.successor) + kind;
  return text;
}

std::string retired_hint(const RetiredKind& retired, const Value& object) {
  if (retired.successor.empty()) return "nothing of that kind took its place; remove it";
  std::string hint = "write \"apiVersion: " + std::string(retired.successor) + "\"";
  if (find_kind(retired.successor, retired.kind) == nullptr) return hint + "; some of its fields may have changed";
  if (filled_in_labels(object, retired) != nullptr) hint += ", which wants spec.selector.matchLabels written out";
  return hint + "; --accept-retired reads it as that";
}

Value as_successor(const Value& object, const RetiredKind& retired) {
  REQUIRES(object.is_object());
  const Value* version = object.find("apiVersion");  // which an element of a list may leave to the list
  const document::Mark mark = version == nullptr ? object.mark() : version->mark();
  Value renamed = object.with("apiVersion", Value(retired.successor, mark));
  const Value* labels = filled_in_labels(object, retired);
  if (labels == nullptr) return renamed;
  return document::with_at(std::move(renamed), {"spec", "selector", "matchLabels"}, *labels);
}

}  // namespace loadline::kube
