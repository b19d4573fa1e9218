#include "hosts/operators/grove/operator.h"

#include "hosts/operators/grove/pod_clique_controller.h"
#include "hosts/operators/grove/pod_clique_set_controller.h"
#include "hosts/operators/grove/scaling_group_controller.h"
#include "hosts/operators/grove/webhooks.h"

namespace loadline::operators {
namespace {

Controllers make_grove_controllers() {
  Controllers all;
  all.push_back(make_pod_clique_set_controller());
  all.push_back(make_scaling_group_controller());
  all.push_back(make_pod_clique_controller());
  return all;
}

}  // namespace

Operator grove_operator() { return {"grove", make_grove_controllers, make_grove_webhooks, "kai-scheduler"}; }

}  // namespace loadline::operators
