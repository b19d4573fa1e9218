#include "hosts/operators/kueue/job_webhooks.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "brain/queue/kueue/jobs/job_kinds.h"
#include "foundation/document/at.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/document_path.h"
#include "hosts/operators/kueue/job_rules.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/ray_rules.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/scalars.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::WebhookRequest;
using document::Value;

/// How the kind's webhooks ask about it.
struct AskedKind {
  std::string resource;   ///< "jobs.batch"
  std::string framework;  ///< "batch/job"
  std::string gvk;
  std::string mutating;
  std::string validating;
  JobRules rules;
};

template <class Kind>
AskedKind asked_kind() {
  const watching::KindName& kind = watching::kind_name<Kind>();
  const queue::kueue::JobKind& of = queue::kueue::kJobKind<Kind>;
  const std::string name = kube::lower_case(kind.kind);
  AskedKind asked{fmt::format("{}.{}", kind.plural, kind.group),
                  std::string(of.framework),
                  fmt::format("{}, Kind={}", of.api_version, kind.kind),
                  fmt::format("m{}.kb.io", name),
                  fmt::format("v{}.kb.io", name),
                  {}};
  asked.rules.suspend_path = of.suspend_path;
  asked.rules.is_batch_job = std::is_same_v<Kind, kube::Job>;
  if constexpr (std::is_same_v<Kind, kube::RayJob>) asked.rules.check_queued = check_queued_ray_job;
  if constexpr (std::is_same_v<Kind, kube::RayCluster>) asked.rules.check_queued = check_queued_ray_cluster;
  asked.rules.may_be_elastic = asked.rules.is_batch_job || asked.rules.check_queued != nullptr;
  return asked;
}

class JobWebhook final : public apiserver::Webhook {
 public:
  explicit JobWebhook(AskedKind kind) : kind_(std::move(kind)) { kind_.rules.gvk = kind_.gvk; }

  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == kind_.resource; }
  [[nodiscard]] std::string_view mutating_name() const override { return kind_.mutating; }
  [[nodiscard]] std::string_view validating_name() const override { return kind_.validating; }

  Verdict<Value> complete(const WebhookRequest& request, Value job) override {
    const StoredObjects objects(request.stored);
    if (request.operation != apiserver::AdmissionRequest::Operation::kCreate || !has_queues(objects)) return job;
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, kind_.framework)) return job;
    job = with_default_queue(objects, configuration, std::move(job));
    const tl::expected<bool, std::string> is_held = is_created_suspended(objects, configuration, job);
    if (!is_held) return tl::unexpected(is_held.error());
    const Value* suspend = find_path(job, kind_.rules.suspend_path);
    if (!*is_held || (suspend != nullptr && *suspend == Value(true))) return job;
    return with_path(std::move(job), kind_.rules.suspend_path, Value(true));
  }

  Verdict<void> review(const WebhookRequest& request, const Value& job) override {
    const StoredObjects objects(request.stored);
    if (!has_queues(objects)) return {};
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, kind_.framework)) return {};
    const JobPlace place{configuration.manage_jobs_without_queue_name, has_default_queue(objects, request.name_space)};
    const bool is_new = request.operation == apiserver::AdmissionRequest::Operation::kCreate;
    const auto refusal = aggregate(is_new ? faults_of_job(kind_.rules, place, job)
                                          : faults_of_job_change(kind_.rules, place, *request.old, job));
    if (refusal) return tl::unexpected(*refusal);
    return {};
  }

 private:
  AskedKind kind_;
  ConfigurationInForce configuration_;
};

}  // namespace

apiserver::Webhooks make_job_webhooks() {
  apiserver::Webhooks made;
  queue::kueue::for_each_job_kind(
      [&]<class Kind>() { made.push_back(std::make_shared<JobWebhook>(asked_kind<Kind>())); });
  return made;
}

}  // namespace loadline::operators::kueue
