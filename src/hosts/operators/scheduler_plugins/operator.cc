#include "hosts/operators/scheduler_plugins/operator.h"

#include "hosts/operators/scheduler_plugins/pod_group_controller.h"

namespace loadline::operators {
namespace {

Controllers make_scheduler_plugins_controllers() {
  Controllers all;
  all.push_back(make_pod_group_controller());
  return all;
}

}  // namespace

Operator scheduler_plugins_operator() {
  return {"scheduler-plugins", make_scheduler_plugins_controllers, nullptr, "scheduler-plugins-scheduler"};
}

}  // namespace loadline::operators
