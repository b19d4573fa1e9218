#include "hosts/operators/kuberay/operator.h"

#include <iterator>
#include <utility>

#include "hosts/operators/kuberay/ray_cluster_controller.h"
#include "hosts/operators/kuberay/ray_cron_job_controller.h"
#include "hosts/operators/kuberay/ray_job_controller.h"
#include "hosts/operators/kuberay/ray_job_rules.h"
#include "hosts/operators/kuberay/ray_rules.h"

namespace loadline::operators {
namespace {

Controllers make_ray_controllers() {
  Controllers all;
  all.push_back(make_ray_cluster_controller());
  all.push_back(make_ray_job_controller());
  all.push_back(make_ray_cron_job_controller());
  return all;
}

apiserver::Webhooks make_all_ray_webhooks() {
  apiserver::Webhooks all = make_ray_webhooks();
  apiserver::Webhooks of_jobs = make_ray_job_webhooks();
  std::move(of_jobs.begin(), of_jobs.end(), std::back_inserter(all));
  return all;
}

}  // namespace

Operator kuberay_operator() { return {"kuberay", make_ray_controllers, make_all_ray_webhooks}; }

}  // namespace loadline::operators
