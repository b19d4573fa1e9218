#include "hosts/operators/kuberay/ray_redis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/controllers/ownership.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/kuberay/ray_cluster_pods.h"
#include "hosts/operators/kuberay/ray_written.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;

constexpr std::string_view kRedisFinalizer = "ray.io/gcs-ft-redis-cleanup-finalizer";
constexpr std::string_view kTimeoutAnnotation = "ray.io/gcs-ft-deletion-timeout";
constexpr std::int64_t kDefaultTimeout = 300;
constexpr std::string_view kCleanupNode = "redis-cleanup";
constexpr std::size_t kLongestLabel = 63;

/// KubeRay writes the whole object as Go has read it.
Action written_back(const Observed<kube::RayCluster>& cluster, Value object) {
  Value spec = ray_cluster_spec_as_written(document::value_at(object, {"spec"}));
  return watching::update(kind_name<kube::RayCluster>(), cluster.key(),
                          std::move(object).with("spec", std::move(spec)));
}

Action without_redis_finalizer(const Observed<kube::RayCluster>& cluster) {
  return written_back(cluster, without_finalizer(cluster.document, kRedisFinalizer));
}

Duration patience(const kube::RayCluster& cluster) {
  const auto written = cluster.metadata.annotations.find(kTimeoutAnnotation);
  std::int64_t seconds = 0;
  if (written != cluster.metadata.annotations.end()) {
    std::from_chars(written->second.data(), written->second.data() + written->second.size(), seconds);
  }
  return Duration::seconds(seconds > 0 ? seconds : kDefaultTimeout);
}

/// Python that removes what Ray keeps under the cluster's name.
std::string cleanup_program(bool names_a_user) {
  const std::string_view user = names_a_user ? "username=os.getenv('REDIS_USERNAME', parsed.username), " : "";
  return fmt::format(
      "echo \"To get more information about manually deleting the storage namespace in Redis and removing the "
      "RayCluster's finalizer, please check "
      "https://docs.ray.io/en/master/cluster/kubernetes/user-guides/kuberay-gcs-ft.html for more details.\" && "
      "python -c \"from ray._private.gcs_utils import cleanup_redis_storage; from urllib.parse import urlparse; "
      "import os; import sys; redis_address = os.getenv('RAY_REDIS_ADDRESS', '').split(',')[0]; "
      "redis_address = redis_address if '://' in redis_address else 'redis://' + redis_address; "
      "parsed = urlparse(redis_address); "
      "sys.exit(1) if not cleanup_redis_storage(host=parsed.hostname, port=parsed.port, {}"
      "password=os.getenv('REDIS_PASSWORD', parsed.password or ''), use_ssl=parsed.scheme=='rediss', "
      "storage_namespace=os.getenv('RAY_external_storage_namespace')) else None\"",
      user);
}

Value cleanup_container(const Value& ray) {
  const Value amounts(Object{{"cpu", Value("200m"), {}}, {"memory", Value("256Mi"), {}}});
  Array env = document::items_at(ray, {"env"});
  const bool names_a_user =
      std::ranges::any_of(env, [](const Value& each) { return document::text_at(each, {"name"}) == "REDIS_USERNAME"; });
  for (const auto& [name, value] :
       {std::pair("RAY_redis_db_connect_retries", "120"), std::pair("RAY_redis_db_connect_wait_milliseconds", "500")}) {
    env.push_back(Value(Object{{"name", Value(name), {}}, {"value", Value(value), {}}}));
  }
  Value container = document::without_at(document::without_at(ray, {"livenessProbe"}), {"readinessProbe"});
  return std::move(container)
      .with("command", Value(Array{Value("/bin/bash"), Value("-c"), Value("--")}))
      .with("args", Value(Array{Value(cleanup_program(names_a_user))}))
      .with("env", Value(std::move(env)))
      .with("resources", Value(Object{{"limits", amounts, {}}, {"requests", amounts, {}}}));
}

std::string cleanup_job_name(const kube::RayCluster& cluster) {
  const std::string name = cluster.metadata.name + "-redis-cleanup";
  return name.size() > kLongestLabel ? name.substr(name.size() - kLongestLabel) : name;
}

/// The head's pod, with the first container only, and that does something else.
Value cleanup_job(const Observed<kube::RayCluster>& cluster) {
  Value pod = ray_head_pod(cluster);
  const Value containers = document::value_at(pod, {"spec", "containers"});
  pod = document::with_at(std::move(pod), {"spec", "containers"},
                          Value(Array{cleanup_container(containers.array().front())}));
  pod = document::with_at(std::move(pod), {"spec", "restartPolicy"}, Value("Never"));
  pod = document::with_at(std::move(pod), {"metadata", "labels", kube::kRayNodeType}, Value(kCleanupNode));
  const Value owner = document::value_at(pod, {"metadata", "ownerReferences"});
  const Value labels = document::value_at(pod, {"metadata", "labels"});
  const Value annotations = document::value_at(pod, {"metadata", "annotations"});
  const Value pod_template(
      Object{{"metadata", Value(Object{{"labels", labels, {}}, {"annotations", annotations, {}}}), {}},
             {"spec", document::value_at(pod, {"spec"}), {}}});
  return Value(Object{{"apiVersion", Value("batch/v1"), {}},
                      {"kind", Value("Job"), {}},
                      {"metadata",
                       Value(Object{{"name", Value(cleanup_job_name(cluster.view)), {}},
                                    {"labels", labels, {}},
                                    {"annotations", annotations, {}},
                                    {"ownerReferences", owner, {}}}),
                       {}},
                      {"spec",
                       Value(Object{{"backoffLimit", Value(std::int64_t{0}), {}},
                                    {"activeDeadlineSeconds", Value(std::int64_t{300}), {}},
                                    {"template", pod_template, {}}}),
                       {}}});
}

bool has_ended(const kube::Job& job) {
  return std::ranges::any_of(job.status.conditions, [](const auto& each) {
    return each.status == "True" && (each.type == "Complete" || each.type == "Failed" || each.type == "FailureTarget");
  });
}

}  // namespace

bool lacks_redis_finalizer(const Observed<kube::RayCluster>& cluster) {
  return workloads::is_fault_tolerant(cluster.view) && !controllers::has_finalizer(cluster.metadata(), kRedisFinalizer);
}

Action redis_finalizer(const Observed<kube::RayCluster>& cluster) {
  return written_back(cluster, with_finalizer(cluster.document, kRedisFinalizer));
}

watching::Reconciliation clean_up_redis(const Observed<kube::RayCluster>& cluster, const RayPods& pods,
                                        const controllers::Context& context) {
  watching::Reconciliation result;
  if (!controllers::has_finalizer(cluster.metadata(), kRedisFinalizer)) return result;
  const Value regarding = watching::reference_to(cluster);
  bool has_pods = false;
  for (const auto* pod : pods) {
    has_pods = true;
    if (!pod->is_being_deleted()) {
      result.then(watching::remove(kind_name<kube::Pod>(), pod->key(), pod->metadata().uid));
    }
  }
  if (has_pods) return result;
  const Instant end = *cluster.metadata().deletion_timestamp + patience(cluster.view);
  if (context.now >= end) {
    result.events.push_back({regarding, Event::Type::kWarning, "ForceDeletedStuckCluster",
                             "Force-removed GCS FT finalizer due to Redis cleanup timeout; Redis storage namespace may "
                             "need manual cleanup"});
    result.then(without_redis_finalizer(cluster));
    return result;
  }
  result.wake_after(end - context.now);
  const std::string& name_space = cluster.metadata().namespace_;
  const auto job = context.caches.of<kube::Job>().find(name_space, cleanup_job_name(cluster.view));
  if (job == nullptr) {
    const std::string name = fmt::format("{}/{}", name_space, cleanup_job_name(cluster.view));
    Action action = watching::create(kind_name<kube::Job>(), name_space, cleanup_job(cluster));
    action.said_when_done =
        Event{regarding, Event::Type::kNormal, "CreatedRedisCleanupJob", "Created Redis cleanup Job " + name};
    action.said_if_failed = Event{regarding, Event::Type::kWarning, "FailedToCreateRedisCleanupJob",
                                  fmt::format("Failed to create Redis cleanup Job {}, ", name)};
    result.then(std::move(action));
  } else if (has_ended(job->view)) {
    result.then(without_redis_finalizer(cluster));
  }
  return result;
}

}  // namespace loadline::operators
