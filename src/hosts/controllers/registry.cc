#include "hosts/controllers/registry.h"

#include "hosts/controllers/cron_job.h"
#include "hosts/controllers/daemon_set.h"
#include "hosts/controllers/deployment.h"
#include "hosts/controllers/disruption_budget.h"
#include "hosts/controllers/endpoint_slice.h"
#include "hosts/controllers/endpoints.h"
#include "hosts/controllers/ephemeral_volume.h"
#include "hosts/controllers/job.h"
#include "hosts/controllers/node_lifecycle.h"
#include "hosts/controllers/pod_garbage.h"
#include "hosts/controllers/replica_set.h"
#include "hosts/controllers/stateful_set.h"
#include "hosts/controllers/taint_eviction.h"
#include "hosts/controllers/ttl_after_finished.h"
#include "hosts/controllers/volume_binding.h"
#include "hosts/controllers/volume_protection.h"

namespace loadline::controllers {

std::vector<std::unique_ptr<Controller>> make_controllers(const workloads::Gates& gates) {
  std::vector<std::unique_ptr<Controller>> all;
  all.push_back(make_deployment_controller());
  all.push_back(make_replica_set_controller());
  all.push_back(make_replication_controller());
  all.push_back(make_stateful_set_controller());
  all.push_back(make_daemon_set_controller());
  all.push_back(make_job_controller(gates));
  all.push_back(make_job_orphan_controller());
  all.push_back(make_cron_job_controller());
  all.push_back(make_ttl_after_finished_controller());
  all.push_back(make_disruption_budget_controller());
  all.push_back(make_stale_disruption_controller());
  all.push_back(make_endpoints_controller());
  all.push_back(make_endpoint_slice_controller());
  all.push_back(make_ephemeral_volume_controller());
  all.push_back(make_claim_binding_controller());
  all.push_back(make_volume_binding_controller());
  all.push_back(make_claim_protection_controller());
  all.push_back(make_volume_protection_controller());
  all.push_back(make_attributes_class_protection_controller());
  all.push_back(make_node_lifecycle({}));
  all.push_back(make_taint_eviction({}));
  all.push_back(make_pod_garbage({}));
  return all;
}

}  // namespace loadline::controllers
