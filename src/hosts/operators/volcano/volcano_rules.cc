#include "hosts/operators/volcano/volcano_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "brain/workloads/volcano_rules.h"
#include "foundation/document/at.h"
#include "objects/kube/view.h"
#include "objects/kube/volcano/volcano_job_schema.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;

constexpr std::int64_t kMaxRetry = 3;

std::int64_t number_in(const Value& object, std::string_view field) {
  const Value* found = object.find(field);
  return found != nullptr && found->is_integer() ? found->integer() : 0;
}

/// What an empty text or zero stands for.
Value with_default(Value object, std::string_view field, Value otherwise) {
  const bool is_there = otherwise.is_string() ? !text_at(object, {field}).empty() : number_in(object, field) != 0;
  return is_there ? object : std::move(object).with(field, std::move(otherwise));
}

std::int64_t least_of(const Value& task) {
  const Value partitions = document::value_at(task, {"partitionPolicy"});
  const std::int64_t least = partitions.is_object() ? number_in(partitions, "minPartitions") : 0;
  return least > 0 ? least * number_in(partitions, "partitionSize") : number_in(task, "replicas");
}

Value completed_task(Value task, std::size_t place) {
  task = with_default(std::move(task), "name", Value("default" + std::to_string(place)));
  const Value network = document::value_at(task, {"template", "spec", "hostNetwork"});
  if (network == Value(true) && text_at(task, {"template", "spec", "dnsPolicy"}).empty()) {
    task = document::with_at(std::move(task), {"template", "spec", "dnsPolicy"}, Value("ClusterFirstWithHostNet"));
  }
  if (const Value* least = task.find("minAvailable"); least == nullptr || least->is_null()) {
    const std::int64_t pods = least_of(task);
    task = std::move(task).with("minAvailable", Value(pods));
  }
  return with_default(std::move(task), "maxRetry", Value(kMaxRetry));
}

/// Plugins of frameworks need services, and that of MPI keys.
Value completed_plugins(Value plugins) {
  constexpr std::array<std::string_view, 4> kFrameworks = {"tensorflow", "mpi", "pytorch", "ray"};
  const auto has = [&](std::string_view name) { return plugins.find(name) != nullptr; };
  const bool needs_keys = has("mpi") && !has("ssh");
  if (std::ranges::any_of(kFrameworks, has) && !has("svc")) plugins = Value(plugins).with("svc", Value(Array{}));
  return needs_keys ? Value(plugins).with("ssh", Value(Array{})) : plugins;
}

class VolcanoJobWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "jobs.batch.volcano.sh"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mutatejob.volcano.sh"; }
  [[nodiscard]] std::string_view validating_name() const override { return "validatejob.volcano.sh"; }

  Verdict<Value> complete(const apiserver::WebhookRequest& request, Value job) override {
    return creates(request) ? with_volcano_job_defaults(std::move(job)) : job;
  }
  Verdict<void> review(const apiserver::WebhookRequest& request, const Value& job) override {
    std::string refusal = volcano_job_refusal(job, creates(request));
    if (!refusal.empty()) return tl::unexpected(std::move(refusal));
    return {};
  }

 private:
  static bool creates(const apiserver::WebhookRequest& request) {
    return request.operation == apiserver::AdmissionRequest::Operation::kCreate;
  }
};

}  // namespace

Value with_volcano_job_defaults(Value job) {
  Value spec = document::value_at(job, {"spec"});
  if (!spec.is_object()) return job;
  spec = with_default(std::move(spec), "queue", Value("default"));
  spec = with_default(std::move(spec), "schedulerName", Value("volcano"));
  spec = with_default(std::move(spec), "maxRetry", Value(kMaxRetry));
  std::int64_t least = 0;
  if (const Value* tasks = spec.find("tasks"); tasks != nullptr && tasks->is_array()) {
    Array completed;
    for (const Value& task : tasks->array()) {
      completed.push_back(completed_task(task, completed.size()));
      least += number_in(completed.back(), "minAvailable");
    }
    spec = std::move(spec).with("tasks", Value(std::move(completed)));
  }
  spec = with_default(std::move(spec), "minAvailable", Value(least));
  if (const Value* plugins = spec.find("plugins"); plugins != nullptr && plugins->is_object()) {
    spec = std::move(spec).with("plugins", completed_plugins(*plugins));
  }
  return std::move(job).with("spec", std::move(spec));
}

std::string volcano_job_refusal(const Value& job, bool is_new) {
  const kube::VolcanoJob view = kube::view<kube::VolcanoJob>(job, kube::kVolcanoJobSchema).object;
  if (!is_new) return workloads::update_refusal(view);
  std::string refusal;
  for (const kube::FieldError& fault : workloads::refusals_of(view)) refusal += fault.message;
  refusal.erase(0, refusal.find_first_not_of(' '));
  return refusal;
}

apiserver::Webhooks make_volcano_webhooks() { return {std::make_shared<VolcanoJobWebhook>()}; }

}  // namespace loadline::operators
