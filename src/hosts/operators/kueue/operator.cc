#include "hosts/operators/kueue/operator.h"

#include <utility>

#include "hosts/operators/kueue/in_use_controller.h"
#include "hosts/operators/kueue/job_controller.h"
#include "hosts/operators/kueue/job_webhooks.h"
#include "hosts/operators/kueue/leader_worker_set.h"
#include "hosts/operators/kueue/lifecycle/workload_controller.h"
#include "hosts/operators/kueue/object_webhooks.h"
#include "hosts/operators/kueue/pod_controller.h"
#include "hosts/operators/kueue/pod_webhooks.h"
#include "hosts/operators/kueue/stateful_set.h"
#include "hosts/operators/kueue/unheld_kinds.h"

namespace loadline::operators {
namespace {

Controllers make_kueue_controllers() {
  Controllers all = kueue::make_job_controllers();
  for (auto& each : kueue::make_pod_controllers()) all.push_back(std::move(each));
  all.push_back(kueue::make_stateful_set_controller());
  all.push_back(kueue::make_leader_worker_set_controller());
  for (auto& each : kueue::make_in_use_controllers()) all.push_back(std::move(each));
  all.push_back(kueue::make_workload_controller());
  return all;
}

apiserver::Webhooks make_kueue_webhooks() {
  apiserver::Webhooks all = kueue::make_object_webhooks();
  for (auto& each : kueue::make_job_webhooks()) all.push_back(std::move(each));
  for (auto& each : kueue::make_pod_webhooks()) all.push_back(std::move(each));
  for (auto& each : kueue::make_unheld_kinds_webhooks()) all.push_back(std::move(each));
  all.push_back(kueue::make_stateful_set_webhook());
  all.push_back(kueue::make_leader_worker_set_webhook());
  return all;
}

}  // namespace

Operator kueue_operator() { return {"kueue", make_kueue_controllers, make_kueue_webhooks}; }

}  // namespace loadline::operators
