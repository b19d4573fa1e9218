#include "hosts/operators/kuberay/ray_job_cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/ray_job.h"
#include "foundation/document/at.h"
#include "hosts/operators/kuberay/ray_job_event.h"
#include "objects/kube/batch/batch.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Array;
using document::text_at;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;
using watching::Reconciliation;

using JobObject = Observed<kube::RayJob>;

watching::ObjectPtr<kube::RayCluster> cluster_of(const JobObject& job, const Context& context) {
  return context.caches.of<kube::RayCluster>().find(job.metadata().namespace_, job.view.status.cluster_name);
}

bool is_suspended(const Value& group) {
  const Value* suspend = group.find("suspend");
  return suspend != nullptr && *suspend == Value(true);
}

Array worker_groups(const Value& cluster) { return document::items_at(cluster, {"spec", "workerGroupSpecs"}); }

void suspend_workers(const JobObject& job, const Context& context, Reconciliation& result) {
  const auto cluster = cluster_of(job, context);
  if (cluster == nullptr) return;
  Array groups = worker_groups(cluster->document);
  for (Value& group : groups) group = std::move(group).with("suspend", Value(true));
  Action action =
      watching::update(kind_name<kube::RayCluster>(), cluster->key(),
                       document::with_at(cluster->document, {"spec", "workerGroupSpecs"}, Value(std::move(groups))));
  const std::string name = cluster->key().to_string();
  action.said_when_done =
      ray_job_event(job, Event::Type::kNormal, "UpdatedRayCluster",
                    fmt::format("Set the `suspend` field to true for all worker groups in cluster {}", name));
  action.said_if_failed = ray_job_event(job, Event::Type::kWarning, "FailedToUpdateRayCluster",
                                        fmt::format("Failed to suspend worker groups in cluster {}: ", name));
  result.then(std::move(action));
}

void carry_out(std::string_view policy, const JobObject& job, const Context& context, Reconciliation& result) {
  if (policy == "DeleteCluster") {
    remove_ray_cluster(job, context, result);
  } else if (policy == "DeleteWorkers") {
    suspend_workers(job, context, result);
  } else if (policy == "DeleteSelf") {
    result.then(watching::remove(kind_name<kube::RayJob>(), job.key(), job.metadata().uid));
  }
}

bool is_carried_out(std::string_view policy, const JobObject& job, const Context& context) {
  if (policy == "DeleteSelf") return false;
  if (policy == "DeleteNone") return true;
  const auto cluster = cluster_of(job, context);
  if (cluster == nullptr || cluster->is_being_deleted()) return true;
  return policy == "DeleteWorkers" && std::ranges::all_of(worker_groups(cluster->document), is_suspended);
}

/// The later, the more it removes.
std::size_t impact_of(std::string_view policy) {
  constexpr std::array<std::string_view, 4> kPolicies = {"DeleteNone", "DeleteWorkers", "DeleteCluster", "DeleteSelf"};
  return static_cast<std::size_t>(std::ranges::find(kPolicies, policy) - kPolicies.begin());
}

Instant end_of(const JobObject& job, const Context& context) { return job.view.status.end_time.value_or(context.now); }

/// False: it is not yet time, and the job is looked at again then.
bool is_due(const JobObject& job, std::int64_t seconds, const Context& context, Reconciliation& result) {
  const Instant due = end_of(job, context) + Duration::seconds(seconds);
  if (due <= context.now) return true;
  result.wake_after(due - context.now);
  return false;
}

bool concerns(const Value& rule, const kube::RayJobStatus& status) {
  const std::string_view wanted = text_at(rule, {"condition", "jobStatus"});
  if (!wanted.empty()) return wanted == status.job_status;
  return text_at(rule, {"condition", "jobDeploymentStatus"}) == status.deployment_status;
}

/// Of all rules whose time has come, the one that removes most.
void apply_rules(const Value& rules, const JobObject& job, const Context& context, Reconciliation& result) {
  std::optional<std::string> chosen;
  for (const Value& rule : rules.array()) {
    if (!concerns(rule, job.view.status)) continue;
    const std::string policy(text_at(rule, {"policy"}));
    const Value ttl = document::value_at(rule, {"condition", "ttlSeconds"});
    if (!is_due(job, ttl.is_integer() ? ttl.integer() : 0, context, result)) continue;
    if (is_carried_out(policy, job, context)) continue;
    if (!chosen || impact_of(policy) > impact_of(*chosen)) chosen = policy;
  }
  if (chosen) carry_out(*chosen, job, context, result);
}

/// onSuccess and onFailure.
void apply_old_policy(const Value& strategy, const JobObject& job, const Context& context, Reconciliation& result) {
  const std::string& status = job.view.status.job_status;
  if (status != "SUCCEEDED" && status != "FAILED") return;
  const std::string_view policy = text_at(strategy, {status == "FAILED" ? "onFailure" : "onSuccess", "policy"});
  if (policy == "DeleteNone" || !is_due(job, job.view.spec.ttl_seconds_after_finished, context, result)) return;
  if (!is_carried_out(policy, job, context)) carry_out(policy, job, context, result);
}

}  // namespace

bool remove_ray_cluster(const JobObject& job, const Context& context, Reconciliation& result) {
  if (!job.view.spec.cluster_selector.empty()) return true;
  const auto cluster = cluster_of(job, context);
  if (cluster == nullptr) return true;
  if (cluster->is_being_deleted()) return false;
  Action action = watching::remove(kind_name<kube::RayCluster>(), cluster->key(), cluster->metadata().uid);
  const std::string name = cluster->key().to_string();
  action.said_when_done =
      ray_job_event(job, Event::Type::kNormal, "DeletedRayCluster", fmt::format("Deleted cluster {}", name));
  action.said_if_failed = ray_job_event(job, Event::Type::kWarning, "FailedToDeleteRayCluster",
                                        fmt::format("Failed to delete cluster {}: ", name));
  result.then(std::move(action));
  return false;
}

bool remove_ray_submitter(const JobObject& job, const Context& context, Reconciliation& result) {
  const std::string_view mode = workloads::submission_mode(job.view.spec);
  if (mode == workloads::kHttpMode || mode == workloads::kSidecarMode) return true;
  const auto submitter = context.caches.of<kube::Job>().find(job.key());
  if (submitter == nullptr) return true;
  if (submitter->is_being_deleted()) return false;
  kube::DeleteOptions options;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  Action action =
      watching::remove(kind_name<kube::Job>(), submitter->key(), submitter->metadata().uid, std::move(options));
  const std::string name = job.key().to_string();
  action.said_when_done = ray_job_event(job, Event::Type::kNormal, "DeletedRayJobSubmitter",
                                        fmt::format("Deleted submitter K8s Job {}", name));
  action.said_if_failed = ray_job_event(job, Event::Type::kWarning, "FailedToDeleteRayJobSubmitter",
                                        fmt::format("Failed to delete submitter K8s Job {}: ", name));
  result.then(std::move(action));
  return false;
}

Reconciliation clean_up_ray_job(const JobObject& job, const Context& context) {
  Reconciliation result;
  if (!job.view.spec.cluster_selector.empty()) return result;
  if (const Value* strategy = document::find_at(job.document, {"spec", "deletionStrategy"}); strategy != nullptr) {
    const Value* rules = strategy->find("deletionRules");
    if (rules != nullptr && rules->is_array()) {
      apply_rules(*rules, job, context, result);
    } else {
      apply_old_policy(*strategy, job, context, result);
    }
    return result;
  }
  if (!job.view.spec.shuts_down) return result;
  if (is_due(job, job.view.spec.ttl_seconds_after_finished, context, result)) remove_ray_cluster(job, context, result);
  return result;
}

}  // namespace loadline::operators
