#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "server/apiserver/kinds/strategy.h"

namespace loadline::apiserver {

/// Makes the strategy of a kind that has one of its own.
struct StrategyMaker {
  std::string_view group_resource;  ///< "pods", "jobs.batch"
  std::unique_ptr<const Strategy> (*make)(Traits traits);
};

/// All kinds with strategies of their own: one line each, one file each (pod.cc, job.cc).
std::span<const StrategyMaker> own_strategies();

/// The strategy of custom resources, by their schema. REQUIRES: the strategy goes before the resource.
std::unique_ptr<const Strategy> make_custom_strategy(Traits traits, const schema::Resource& resource);

// One for each line.
std::unique_ptr<const Strategy> make_admission_policy_strategy(Traits traits);
std::unique_ptr<const Strategy> make_admission_webhook_strategy(Traits traits);
std::unique_ptr<const Strategy> make_custom_resource_definition_strategy(Traits traits);
std::unique_ptr<const Strategy> make_deployment_strategy(Traits traits);
std::unique_ptr<const Strategy> make_replica_set_strategy(Traits traits);
std::unique_ptr<const Strategy> make_stateful_set_strategy(Traits traits);
std::unique_ptr<const Strategy> make_daemon_set_strategy(Traits traits);
std::unique_ptr<const Strategy> make_controller_revision_strategy(Traits traits);
std::unique_ptr<const Strategy> make_job_strategy(Traits traits);
std::unique_ptr<const Strategy> make_cron_job_strategy(Traits traits);
std::unique_ptr<const Strategy> make_pod_disruption_budget_strategy(Traits traits);
std::unique_ptr<const Strategy> make_priority_class_strategy(Traits traits);
std::unique_ptr<const Strategy> make_lease_strategy(Traits traits);
std::unique_ptr<const Strategy> make_role_strategy(Traits traits);
std::unique_ptr<const Strategy> make_cluster_role_strategy(Traits traits);
std::unique_ptr<const Strategy> make_role_binding_strategy(Traits traits);
std::unique_ptr<const Strategy> make_cluster_role_binding_strategy(Traits traits);
std::unique_ptr<const Strategy> make_runtime_class_strategy(Traits traits);
std::unique_ptr<const Strategy> make_storage_class_strategy(Traits traits);
std::unique_ptr<const Strategy> make_volume_attributes_class_strategy(Traits traits);
std::unique_ptr<const Strategy> make_csi_driver_strategy(Traits traits);
std::unique_ptr<const Strategy> make_csi_node_strategy(Traits traits);
std::unique_ptr<const Strategy> make_csi_storage_capacity_strategy(Traits traits);
std::unique_ptr<const Strategy> make_volume_attachment_strategy(Traits traits);
std::unique_ptr<const Strategy> make_endpoint_slice_strategy(Traits traits);
std::unique_ptr<const Strategy> make_horizontal_pod_autoscaler_strategy(Traits traits);
std::unique_ptr<const Strategy> make_network_policy_strategy(Traits traits);
std::unique_ptr<const Strategy> make_ingress_strategy(Traits traits);
std::unique_ptr<const Strategy> make_ingress_class_strategy(Traits traits);
std::unique_ptr<const Strategy> make_certificate_signing_request_strategy(Traits traits);
std::unique_ptr<const Strategy> make_resource_claim_strategy(Traits traits);
std::unique_ptr<const Strategy> make_resource_claim_template_strategy(Traits traits);
std::unique_ptr<const Strategy> make_device_class_strategy(Traits traits);
std::unique_ptr<const Strategy> make_resource_slice_strategy(Traits traits);
std::unique_ptr<const Strategy> make_pod_group_strategy(Traits traits);
std::unique_ptr<const Strategy> make_workload_strategy(Traits traits);
std::unique_ptr<const Strategy> make_namespace_strategy(Traits traits);
std::unique_ptr<const Strategy> make_pod_strategy(Traits traits);
std::unique_ptr<const Strategy> make_config_map_strategy(Traits traits);
std::unique_ptr<const Strategy> make_endpoints_strategy(Traits traits);
std::unique_ptr<const Strategy> make_event_strategy(Traits traits);
std::unique_ptr<const Strategy> make_legacy_event_strategy(Traits traits);
std::unique_ptr<const Strategy> make_limit_range_strategy(Traits traits);
std::unique_ptr<const Strategy> make_node_strategy(Traits traits);
std::unique_ptr<const Strategy> make_persistent_volume_claim_strategy(Traits traits);
std::unique_ptr<const Strategy> make_persistent_volume_strategy(Traits traits);
std::unique_ptr<const Strategy> make_replication_controller_strategy(Traits traits);
std::unique_ptr<const Strategy> make_resource_quota_strategy(Traits traits);
std::unique_ptr<const Strategy> make_secret_strategy(Traits traits);
std::unique_ptr<const Strategy> make_service_account_strategy(Traits traits);
std::unique_ptr<const Strategy> make_service_strategy(Traits traits);

}  // namespace loadline::apiserver
