#include "hosts/operators/lws/operator.h"

#include "hosts/operators/lws/leader_pod.h"
#include "hosts/operators/lws/leader_worker_set.h"
#include "hosts/operators/lws/webhooks.h"

namespace loadline::operators {
namespace {

Controllers make_lws_controllers() {
  Controllers made;
  made.push_back(make_leader_worker_set_controller());
  made.push_back(make_leader_pod_controller());
  return made;
}

}  // namespace

Operator lws_operator() { return {"lws", make_lws_controllers, make_lws_webhooks}; }

}  // namespace loadline::operators
