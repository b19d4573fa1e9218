#include "hosts/operators/kueue/operator.h"

#include "hosts/operators/kueue/job_controller.h"
#include "hosts/operators/kueue/job_webhooks.h"
#include "hosts/operators/kueue/lifecycle/workload_controller.h"

namespace loadline::operators {
namespace {

Controllers make_kueue_controllers() {
  Controllers all = kueue::make_job_controllers();
  all.push_back(kueue::make_workload_controller());
  return all;
}

apiserver::Webhooks make_kueue_webhooks() { return kueue::make_job_webhooks(); }

}  // namespace

Operator kueue_operator() { return {"kueue", make_kueue_controllers, make_kueue_webhooks}; }

}  // namespace loadline::operators
