#include "hosts/operators/kuberay/operator.h"

#include "hosts/operators/kuberay/ray_cluster_controller.h"
#include "hosts/operators/kuberay/ray_cron_job_controller.h"
#include "hosts/operators/kuberay/ray_job_controller.h"
#include "hosts/operators/kuberay/ray_webhooks.h"

namespace loadline::operators {
namespace {

Controllers make_ray_controllers() {
  Controllers all;
  all.push_back(make_ray_cluster_controller());
  all.push_back(make_ray_job_controller());
  all.push_back(make_ray_cron_job_controller());
  return all;
}

}  // namespace

Operator kuberay_operator() { return {"kuberay", make_ray_controllers, make_ray_webhooks}; }

}  // namespace loadline::operators
