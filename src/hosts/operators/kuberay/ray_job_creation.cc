#include "hosts/operators/kuberay/ray_job_creation.h"

#include <fmt/format.h>

#include <utility>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/operators/kuberay/ray_job_event.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/service.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;
using watching::Reconciliation;

using JobObject = Observed<kube::RayJob>;

}  // namespace

watching::ObjectPtr<kube::RayCluster> find_or_create_ray_cluster(const RaySubmission& submission,
                                                                 const std::string& name, const Context& context,
                                                                 Reconciliation& result) {
  const JobObject& job = submission.job;
  const std::string& name_space = job.metadata().namespace_;
  auto cluster = context.caches.of<kube::RayCluster>().find(name_space, name);
  if (cluster != nullptr) return cluster;
  if (!job.view.spec.cluster_selector.empty()) {
    result.events.push_back(ray_job_event(
        job, Event::Type::kWarning, "RayClusterNotFound",
        fmt::format("RayCluster {}/{} set in the clusterSelector is not found. It must be created manually", name_space,
                    name)));
    return nullptr;
  }
  if (controllers::is_ending(context.caches, name_space)) return nullptr;
  Result<Value> made = ray_cluster_of_job(submission, name);
  if (!made) return nullptr;
  Action action = watching::create(kind_name<kube::RayCluster>(), name_space, *std::move(made));
  action.said_when_done = ray_job_event(job, Event::Type::kNormal, "CreatedRayCluster",
                                        fmt::format("Created RayCluster {}/{}", name_space, name));
  action.said_if_failed = ray_job_event(job, Event::Type::kWarning, "FailedToCreateRayCluster",
                                        fmt::format("Failed to create RayCluster {}/{}: ", name_space, name));
  result.then(std::move(action));
  return nullptr;
}

std::string ray_dashboard_of(const Observed<kube::RayCluster>& cluster, const Context& context) {
  const std::string& name_space = cluster.metadata().namespace_;
  const auto service = context.caches.of<kube::Service>().find(name_space, workloads::head_service_name(cluster.view));
  if (service == nullptr) return {};
  for (const Value& port : document::items_at(service->document, {"spec", "ports"})) {
    if (document::text_at(port, {"name"}) != "dashboard") continue;
    return fmt::format("{}.{}.svc.cluster.local:{}", service->metadata().name, name_space,
                       document::value_at(port, {"port"}).integer());
  }
  return {};
}

bool create_ray_submitter(const RaySubmission& submission, const kube::RayClusterSpec& cluster, const Context& context,
                          Reconciliation& result) {
  const JobObject& job = submission.job;
  const std::string& name_space = job.metadata().namespace_;
  const std::string& name = job.metadata().name;
  const bool is_there = context.caches.of<kube::Job>().find(name_space, name) != nullptr;
  if (is_there || controllers::is_ending(context.caches, name_space)) return true;
  Result<Value> made = ray_submitter_job(submission, cluster);
  if (!made) return false;
  Action action = watching::create(kind_name<kube::Job>(), name_space, *std::move(made));
  action.said_when_done = ray_job_event(job, Event::Type::kNormal, "CreatedRayJobSubmitter",
                                        fmt::format("Created Kubernetes Job {}/{}", name_space, name));
  action.said_if_failed = ray_job_event(job, Event::Type::kWarning, "FailedToCreateRayJobSubmitter",
                                        fmt::format("Failed to create new Kubernetes Job {}/{}: ", name_space, name));
  result.then(std::move(action));
  return true;
}

void keep_ray_service(const JobObject& job, const Observed<kube::RayCluster>& cluster, const Context& context,
                      Reconciliation& result) {
  const std::string& name_space = job.metadata().namespace_;
  if (!job.view.spec.cluster_selector.empty() || controllers::is_ending(context.caches, name_space)) return;
  const std::string name = job.metadata().name + "-head-svc";
  const auto there = context.caches.of<kube::Service>().find(name_space, name);
  if (there != nullptr) {
    const auto selected = there->view.selector.find(kube::kRayCluster);
    if (selected != there->view.selector.end() && selected->second == cluster.metadata().name) return;
  }
  Value wanted = ray_service_of_job(job.view, cluster.view, cluster.document);
  const std::string object = fmt::format("{}/{}", name_space, name);
  if (there == nullptr) {
    Action action = watching::create(kind_name<kube::Service>(), name_space, std::move(wanted));
    action.said_when_done =
        ray_job_event(job, Event::Type::kNormal, "CreatedService", fmt::format("Created the service {}", object));
    action.said_if_failed = ray_job_event(job, Event::Type::kWarning, "FailedToCreateService",
                                          fmt::format("Failed to create the service {}, ", object));
    return result.then(std::move(action));
  }
  Value spec = document::value_at(wanted, {"spec"});
  const Value address = document::value_at(there->document, {"spec", "clusterIP"});
  if (!address.is_null()) spec = std::move(spec).with("clusterIP", address);
  Action action =
      watching::update(kind_name<kube::Service>(), there->key(), Value(there->document).with("spec", std::move(spec)));
  action.said_when_done =
      ray_job_event(job, Event::Type::kNormal, "UpdatedService", fmt::format("Updated the service {}", object));
  action.said_if_failed = ray_job_event(job, Event::Type::kWarning, "FailedToUpdateService",
                                        fmt::format("Failed to update the service {}, ", object));
  result.then(std::move(action));
}

}  // namespace loadline::operators
