#include "server/apiserver/kinds/strategies.h"

#include <array>

namespace loadline::apiserver {
namespace {

constexpr std::array kStrategies = {
    StrategyMaker{"namespaces", make_namespace_strategy},
    StrategyMaker{"pods", make_pod_strategy},
    StrategyMaker{"nodes", make_node_strategy},
    StrategyMaker{"configmaps", make_config_map_strategy},
    StrategyMaker{"endpoints", make_endpoints_strategy},
    StrategyMaker{"events", make_legacy_event_strategy},
    StrategyMaker{"events.events.k8s.io", make_event_strategy},
    StrategyMaker{"limitranges", make_limit_range_strategy},
    StrategyMaker{"persistentvolumeclaims", make_persistent_volume_claim_strategy},
    StrategyMaker{"persistentvolumes", make_persistent_volume_strategy},
    StrategyMaker{"replicationcontrollers", make_replication_controller_strategy},
    StrategyMaker{"resourcequotas", make_resource_quota_strategy},
    StrategyMaker{"secrets", make_secret_strategy},
    StrategyMaker{"serviceaccounts", make_service_account_strategy},
    StrategyMaker{"services", make_service_strategy},
    StrategyMaker{"validatingadmissionpolicies.admissionregistration.k8s.io", make_admission_policy_strategy},
    StrategyMaker{"mutatingadmissionpolicies.admissionregistration.k8s.io", make_admission_policy_strategy},
    StrategyMaker{"validatingwebhookconfigurations.admissionregistration.k8s.io", make_admission_webhook_strategy},
    StrategyMaker{"mutatingwebhookconfigurations.admissionregistration.k8s.io", make_admission_webhook_strategy},
    StrategyMaker{"customresourcedefinitions.apiextensions.k8s.io", make_custom_resource_definition_strategy},
    StrategyMaker{"deployments.apps", make_deployment_strategy},
    StrategyMaker{"replicasets.apps", make_replica_set_strategy},
    StrategyMaker{"statefulsets.apps", make_stateful_set_strategy},
    StrategyMaker{"daemonsets.apps", make_daemon_set_strategy},
    StrategyMaker{"controllerrevisions.apps", make_controller_revision_strategy},
    StrategyMaker{"jobs.batch", make_job_strategy},
    StrategyMaker{"cronjobs.batch", make_cron_job_strategy},
    StrategyMaker{"poddisruptionbudgets.policy", make_pod_disruption_budget_strategy},
    StrategyMaker{"priorityclasses.scheduling.k8s.io", make_priority_class_strategy},
    StrategyMaker{"leases.coordination.k8s.io", make_lease_strategy},
    StrategyMaker{"roles.rbac.authorization.k8s.io", make_role_strategy},
    StrategyMaker{"clusterroles.rbac.authorization.k8s.io", make_cluster_role_strategy},
    StrategyMaker{"rolebindings.rbac.authorization.k8s.io", make_role_binding_strategy},
    StrategyMaker{"clusterrolebindings.rbac.authorization.k8s.io", make_cluster_role_binding_strategy},
    StrategyMaker{"runtimeclasses.node.k8s.io", make_runtime_class_strategy},
    StrategyMaker{"storageclasses.storage.k8s.io", make_storage_class_strategy},
    StrategyMaker{"volumeattributesclasses.storage.k8s.io", make_volume_attributes_class_strategy},
    StrategyMaker{"csidrivers.storage.k8s.io", make_csi_driver_strategy},
    StrategyMaker{"csinodes.storage.k8s.io", make_csi_node_strategy},
    StrategyMaker{"csistoragecapacities.storage.k8s.io", make_csi_storage_capacity_strategy},
    StrategyMaker{"volumeattachments.storage.k8s.io", make_volume_attachment_strategy},
    StrategyMaker{"endpointslices.discovery.k8s.io", make_endpoint_slice_strategy},
    StrategyMaker{"horizontalpodautoscalers.autoscaling", make_horizontal_pod_autoscaler_strategy},
    StrategyMaker{"networkpolicies.networking.k8s.io", make_network_policy_strategy},
    StrategyMaker{"ingresses.networking.k8s.io", make_ingress_strategy},
    StrategyMaker{"ingressclasses.networking.k8s.io", make_ingress_class_strategy},
    StrategyMaker{"certificatesigningrequests.certificates.k8s.io", make_certificate_signing_request_strategy},
    StrategyMaker{"resourceclaims.resource.k8s.io", make_resource_claim_strategy},
    StrategyMaker{"resourceclaimtemplates.resource.k8s.io", make_resource_claim_template_strategy},
    StrategyMaker{"deviceclasses.resource.k8s.io", make_device_class_strategy},
    StrategyMaker{"resourceslices.resource.k8s.io", make_resource_slice_strategy},
    StrategyMaker{"podgroups.scheduling.k8s.io", make_pod_group_strategy},
    StrategyMaker{"workloads.scheduling.k8s.io", make_workload_strategy},
};

}  // namespace

std::span<const StrategyMaker> own_strategies() { return kStrategies; }

}  // namespace loadline::apiserver
