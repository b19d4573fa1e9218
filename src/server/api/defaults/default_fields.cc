#include <array>

#include "server/api/defaults/rules.h"

namespace loadline::api {
namespace {

constexpr std::int64_t kFileMode = 0644;

// Sources: k8s.io/kubernetes/pkg/apis/*/v*/defaults.go and the `+default` marks in k8s.io/api, v1.36.
constexpr DefaultField kFields[] = {
    // core
    {"io.k8s.api.core.v1.PodSpec", "restartPolicy", "Always"},
    {"io.k8s.api.core.v1.PodSpec", "terminationGracePeriodSeconds", std::int64_t{30}},
    {"io.k8s.api.core.v1.PodSpec", "dnsPolicy", "ClusterFirst"},
    {"io.k8s.api.core.v1.PodSpec", "securityContext", EmptyObject{}},
    {"io.k8s.api.core.v1.PodSpec", "schedulerName", "default-scheduler"},
    {"io.k8s.api.core.v1.Container", "terminationMessagePath", "/dev/termination-log"},
    {"io.k8s.api.core.v1.Container", "terminationMessagePolicy", "File"},
    {"io.k8s.api.core.v1.EphemeralContainer", "terminationMessagePath", "/dev/termination-log"},
    {"io.k8s.api.core.v1.EphemeralContainer", "terminationMessagePolicy", "File"},
    {"io.k8s.api.core.v1.ContainerPort", "protocol", "TCP"},
    {"io.k8s.api.core.v1.Probe", "timeoutSeconds", std::int64_t{1}},
    {"io.k8s.api.core.v1.Probe", "periodSeconds", std::int64_t{10}},
    {"io.k8s.api.core.v1.Probe", "successThreshold", std::int64_t{1}},
    {"io.k8s.api.core.v1.Probe", "failureThreshold", std::int64_t{3}},
    {"io.k8s.api.core.v1.HTTPGetAction", "path", "/"},
    {"io.k8s.api.core.v1.HTTPGetAction", "scheme", "HTTP"},
    {"io.k8s.api.core.v1.GRPCAction", "service", ""},
    {"io.k8s.api.core.v1.ObjectFieldSelector", "apiVersion", "v1"},
    {"io.k8s.api.core.v1.FileKeySelector", "optional", false},
    {"io.k8s.api.core.v1.SecretVolumeSource", "defaultMode", kFileMode},
    {"io.k8s.api.core.v1.ConfigMapVolumeSource", "defaultMode", kFileMode},
    {"io.k8s.api.core.v1.DownwardAPIVolumeSource", "defaultMode", kFileMode},
    {"io.k8s.api.core.v1.ProjectedVolumeSource", "defaultMode", kFileMode},
    {"io.k8s.api.core.v1.ServiceAccountTokenProjection", "expirationSeconds", std::int64_t{3600}},
    {"io.k8s.api.core.v1.HostPathVolumeSource", "type", ""},
    {"io.k8s.api.core.v1.ISCSIVolumeSource", "iscsiInterface", "default"},
    {"io.k8s.api.core.v1.ISCSIPersistentVolumeSource", "iscsiInterface", "default"},
    {"io.k8s.api.core.v1.RBDVolumeSource", "pool", "rbd"},
    {"io.k8s.api.core.v1.RBDVolumeSource", "user", "admin"},
    {"io.k8s.api.core.v1.RBDVolumeSource", "keyring", "/etc/ceph/keyring"},
    {"io.k8s.api.core.v1.RBDPersistentVolumeSource", "pool", "rbd"},
    {"io.k8s.api.core.v1.RBDPersistentVolumeSource", "user", "admin"},
    {"io.k8s.api.core.v1.RBDPersistentVolumeSource", "keyring", "/etc/ceph/keyring"},
    {"io.k8s.api.core.v1.AzureDiskVolumeSource", "cachingMode", "ReadWrite"},
    {"io.k8s.api.core.v1.AzureDiskVolumeSource", "fsType", "ext4"},
    {"io.k8s.api.core.v1.AzureDiskVolumeSource", "readOnly", false},
    {"io.k8s.api.core.v1.AzureDiskVolumeSource", "kind", "Shared"},
    {"io.k8s.api.core.v1.ScaleIOVolumeSource", "storageMode", "ThinProvisioned"},
    {"io.k8s.api.core.v1.ScaleIOVolumeSource", "fsType", "xfs"},
    {"io.k8s.api.core.v1.ScaleIOPersistentVolumeSource", "storageMode", "ThinProvisioned"},
    {"io.k8s.api.core.v1.ScaleIOPersistentVolumeSource", "fsType", "xfs"},
    {"io.k8s.api.core.v1.PersistentVolumeClaimSpec", "volumeMode", "Filesystem"},
    {"io.k8s.api.core.v1.Secret", "type", "Opaque"},
    {"io.k8s.api.core.v1.EndpointPort", "protocol", "TCP"},
    {"io.k8s.api.core.v1.ServicePort", "protocol", "TCP"},
    // apps and batch
    {"io.k8s.api.batch.v1.CronJobSpec", "concurrencyPolicy", "Allow"},
    {"io.k8s.api.batch.v1.CronJobSpec", "suspend", false},
    {"io.k8s.api.batch.v1.CronJobSpec", "successfulJobsHistoryLimit", std::int64_t{3}},
    {"io.k8s.api.batch.v1.CronJobSpec", "failedJobsHistoryLimit", std::int64_t{1}},
    {"io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", "status", "True"},
    // network
    {"io.k8s.api.networking.v1.NetworkPolicyPort", "protocol", "TCP"},
    {"io.k8s.api.networking.v1.IngressClassParametersReference", "scope", "Cluster"},
    {"io.k8s.api.discovery.v1.EndpointPort", "name", ""},
    {"io.k8s.api.discovery.v1.EndpointPort", "protocol", "TCP"},
    // storage
    {"io.k8s.api.storage.v1.StorageClass", "reclaimPolicy", "Delete"},
    {"io.k8s.api.storage.v1.StorageClass", "volumeBindingMode", "Immediate"},
    {"io.k8s.api.storage.v1.CSIDriverSpec", "attachRequired", true},
    {"io.k8s.api.storage.v1.CSIDriverSpec", "podInfoOnMount", false},
    {"io.k8s.api.storage.v1.CSIDriverSpec", "storageCapacity", false},
    {"io.k8s.api.storage.v1.CSIDriverSpec", "fsGroupPolicy", "ReadWriteOnceWithFSType"},
    {"io.k8s.api.storage.v1.CSIDriverSpec", "requiresRepublish", false},
    {"io.k8s.api.storage.v1.CSIDriverSpec", "seLinuxMount", false},
    // scheduling
    {"io.k8s.api.scheduling.v1.PriorityClass", "preemptionPolicy", "PreemptLowerPriority"},
    {"io.k8s.api.scheduling.v1alpha2.PodGroupSpec", "disruptionMode", "Pod"},
    // autoscaling
    {"io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", "minReplicas", std::int64_t{1}},
    {"io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec", "minReplicas", std::int64_t{1}},
    // resource
    {"io.k8s.api.resource.v1.DeviceToleration", "operator", "Equal"},
    // administration
    {"io.k8s.api.authentication.v1.TokenRequestSpec", "expirationSeconds", std::int64_t{3600}},
    {"io.k8s.api.flowcontrol.v1.FlowSchemaSpec", "matchingPrecedence", std::int64_t{1000}},
    {"io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration", "nominalConcurrencyShares", std::int64_t{0}},
    {"io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration", "lendablePercent", std::int64_t{0}},
    {"io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration", "nominalConcurrencyShares", std::int64_t{30}},
    {"io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration", "lendablePercent", std::int64_t{0}},
    {"io.k8s.api.flowcontrol.v1.QueuingConfiguration", "handSize", std::int64_t{8}},
    {"io.k8s.api.flowcontrol.v1.QueuingConfiguration", "queues", std::int64_t{64}},
    {"io.k8s.api.flowcontrol.v1.QueuingConfiguration", "queueLengthLimit", std::int64_t{50}},
    {"io.k8s.api.admissionregistration.v1.ValidatingWebhook", "failurePolicy", "Fail"},
    {"io.k8s.api.admissionregistration.v1.ValidatingWebhook", "matchPolicy", "Equivalent"},
    {"io.k8s.api.admissionregistration.v1.ValidatingWebhook", "namespaceSelector", EmptyObject{}},
    {"io.k8s.api.admissionregistration.v1.ValidatingWebhook", "objectSelector", EmptyObject{}},
    {"io.k8s.api.admissionregistration.v1.ValidatingWebhook", "timeoutSeconds", std::int64_t{10}},
    {"io.k8s.api.admissionregistration.v1.MutatingWebhook", "failurePolicy", "Fail"},
    {"io.k8s.api.admissionregistration.v1.MutatingWebhook", "matchPolicy", "Equivalent"},
    {"io.k8s.api.admissionregistration.v1.MutatingWebhook", "namespaceSelector", EmptyObject{}},
    {"io.k8s.api.admissionregistration.v1.MutatingWebhook", "objectSelector", EmptyObject{}},
    {"io.k8s.api.admissionregistration.v1.MutatingWebhook", "timeoutSeconds", std::int64_t{10}},
    {"io.k8s.api.admissionregistration.v1.MutatingWebhook", "reinvocationPolicy", "Never"},
    {"io.k8s.api.admissionregistration.v1.RuleWithOperations", "scope", "*"},
    {"io.k8s.api.admissionregistration.v1.NamedRuleWithOperations", "scope", "*"},
    {"io.k8s.api.admissionregistration.v1.ServiceReference", "port", std::int64_t{443}},
    {"io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec", "failurePolicy", "Fail"},
    {"io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec", "failurePolicy", "Fail"},
    {"io.k8s.api.admissionregistration.v1.MatchResources", "matchPolicy", "Equivalent"},
    {"io.k8s.api.admissionregistration.v1.MatchResources", "namespaceSelector", EmptyObject{}},
    {"io.k8s.api.admissionregistration.v1.MatchResources", "objectSelector", EmptyObject{}},
    {"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference", "port", std::int64_t{443}},
    {"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference", "port", std::int64_t{443}},
};

constexpr AmountsField kAmounts[] = {
    {"io.k8s.api.core.v1.ResourceRequirements", "limits"},
    {"io.k8s.api.core.v1.ResourceRequirements", "requests"},
    {"io.k8s.api.core.v1.VolumeResourceRequirements", "limits"},
    {"io.k8s.api.core.v1.VolumeResourceRequirements", "requests"},
    {"io.k8s.api.core.v1.PodSpec", "overhead"},
    {"io.k8s.api.core.v1.PodStatus", "allocatedResources"},
    {"io.k8s.api.core.v1.ContainerStatus", "allocatedResources"},
    {"io.k8s.api.core.v1.NodeStatus", "capacity"},
    {"io.k8s.api.core.v1.NodeStatus", "allocatable"},
    {"io.k8s.api.core.v1.PersistentVolumeSpec", "capacity"},
    {"io.k8s.api.core.v1.PersistentVolumeClaimStatus", "capacity"},
    {"io.k8s.api.core.v1.PersistentVolumeClaimStatus", "allocatedResources"},
    {"io.k8s.api.core.v1.ResourceQuotaSpec", "hard"},
    {"io.k8s.api.core.v1.ResourceQuotaStatus", "hard"},
    {"io.k8s.api.core.v1.ResourceQuotaStatus", "used"},
    {"io.k8s.api.core.v1.LimitRangeItem", "max"},
    {"io.k8s.api.core.v1.LimitRangeItem", "min"},
    {"io.k8s.api.core.v1.LimitRangeItem", "default"},
    {"io.k8s.api.core.v1.LimitRangeItem", "defaultRequest"},
    {"io.k8s.api.core.v1.LimitRangeItem", "maxLimitRequestRatio"},
};

}  // namespace

std::span<const DefaultField> default_fields() { return kFields; }
std::span<const AmountsField> amounts_fields() { return kAmounts; }

}  // namespace loadline::api
