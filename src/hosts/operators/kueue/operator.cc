#include "hosts/operators/kueue/operator.h"

#include "hosts/operators/kueue/job_controller.h"
#include "hosts/operators/kueue/job_webhooks.h"

namespace loadline::operators {
namespace {

apiserver::Webhooks make_kueue_webhooks() { return kueue::make_job_webhooks(); }

}  // namespace

Operator kueue_operator() { return {"kueue", kueue::make_job_controllers, make_kueue_webhooks}; }

}  // namespace loadline::operators
