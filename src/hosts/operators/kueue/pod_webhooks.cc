#include "hosts/operators/kueue/pod_webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/job_rules.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/pod_group.h"
#include "hosts/watching/observe.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/scalars.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::CheckedField;
using apiserver::WebhookRequest;
using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kPodFramework = "pod";
constexpr std::string_view kDeploymentFramework = "deployment";

bool is_new(const WebhookRequest& request) {
  return request.operation == apiserver::AdmissionRequest::Operation::kCreate;
}

Value with_admission_gate(Value pod) {
  Array gates = document::items_at(pod, {"spec", "schedulingGates"});
  const Value gate(Object{{"name", Value(kube::kAdmissionGate), {}}});
  if (std::ranges::find(gates, gate) != gates.end()) return pod;
  gates.push_back(gate);
  return document::with_at(std::move(pod), {"spec", "schedulingGates"}, Value(std::move(gates)));
}

Value with_pod_finalizer(Value pod) {
  const Array& finalizers = document::items_at(pod, {"metadata", "finalizers"});
  const bool has_it = std::ranges::find(finalizers, Value(kManagedPod)) != finalizers.end();
  return has_it ? pod : with_finalizer(std::move(pod), kManagedPod);
}

Value with_role_hash(Value pod) {
  if (pod_group_of(watching::read_metadata(pod)).empty()) return pod;
  const std::string role = role_hash_of(pod);
  return document::with_at(std::move(pod), {"metadata", "annotations", kRoleHash}, Value(role));
}

/// What is asked of the group that a pod is of.
void check_group(const CheckedField& whole) {
  const CheckedField annotations = whole.at({"metadata", "annotations"});
  const CheckedField labels = whole.at({"metadata", "labels"});
  const bool is_annotated = !annotations.key(kube::kPodGroupName).text().empty();
  const CheckedField name = is_annotated ? annotations.key(kube::kPodGroupName) : labels.key(kube::kPodGroupName);
  const CheckedField count = annotations.key(kube::kPodGroupTotalCount);
  const std::string both =
      fmt::format("both the '{}' annotation and the '{}' {} should be set", kube::kPodGroupTotalCount,
                  kube::kPodGroupName, is_annotated ? "annotation" : "label");
  if (name.text().empty() != !count.is_set()) return (count.is_set() ? name : count).required(both);
  if (!count.is_set()) return;
  for (const auto& problem : kube::dns_subdomain_problems(name.text())) name.invalid(problem);
  const Result<std::int64_t> size = group_size(watching::read_metadata(whole.value()));
  if (!size) count.invalid(size.error().message);
}

void check_pod(const CheckedField& whole) {
  const CheckedField managed = whole.at({"metadata", "labels"}).key(kManagedPod);
  if (managed.is_set() && managed.text() != "true") {
    managed.forbidden("managed label value can only be 'true'");
  }
  check_group(whole);
}

/// Upstream takes a pod for a job, whose gate suspends it.
constexpr JobRules kPodRules{"/v1, Kind=Pod", "", false, false, nullptr};

Value as_suspended(const Value& pod) {
  const Array& gates = document::items_at(pod, {"spec", "schedulingGates"});
  const bool is_gated = std::ranges::any_of(
      gates, [](const Value& gate) { return document::text_at(gate, {"name"}) == kube::kAdmissionGate; });
  const std::string_view phase = document::text_at(pod, {"status", "phase"});
  return pod.with("isSuspended", Value(is_gated || phase == "Failed" || phase == "Succeeded"));
}

class PodWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "pods"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mpod.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vpod.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& request, Value pod) override {
    const StoredObjects objects(request.stored);
    if (!is_new(request) || !has_queues(objects)) return pod;
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    const bool is_of_parent = !document::text_at(pod, {"metadata", "annotations", kSuspendedByParent}).empty();
    if (is_of_parent) return with_role_hash(with_admission_gate(std::move(pod)));
    if (!manages(configuration, kPodFramework) || !selects_namespace(objects, configuration, request.name_space)) {
      return pod;
    }
    const auto ancestor = managed_ancestor(objects, configuration, pod);
    if (!ancestor) return tl::unexpected(ancestor.error());
    if (ancestor->has_value()) return pod;
    if (queue_label(pod).empty() && has_default_queue(objects, request.name_space)) {
      pod = document::with_at(std::move(pod), {"metadata", "labels", kube::kQueueName}, Value("default"));
    }
    if (queue_label(pod).empty() && !configuration.manage_jobs_without_queue_name) return pod;
    pod = document::with_at(std::move(pod), {"metadata", "labels", kManagedPod}, Value("true"));
    return with_role_hash(with_admission_gate(with_pod_finalizer(std::move(pod))));
  }

  Verdict<void> review(const WebhookRequest& request, const Value& pod) override {
    const StoredObjects objects(request.stored);
    const bool is_asked = !queue_label(pod).empty() || is_managed(pod) ||
                          (request.old != nullptr && (!queue_label(*request.old).empty() || is_managed(*request.old)));
    if (!is_asked || !has_queues(objects)) return {};
    const JobPlace place{false, has_default_queue(objects, request.name_space)};
    JobRules rules = kPodRules;
    rules.suspend_path = "isSuspended";
    const Value now = as_suspended(pod);
    kube::FieldErrors faults = is_new(request) ? faults_of_job(rules, place, now)
                                               : faults_of_job_change(rules, place, as_suspended(*request.old), now);
    check_pod(CheckedField(faults, pod));
    if (!is_new(request)) check_group_change(*request.old, pod, faults);
    if (const auto refusal = aggregate(faults)) return tl::unexpected(*refusal);
    return {};
  }

 private:
  static bool is_managed(const Value& pod) {
    return document::text_at(pod, {"metadata", "labels", kManagedPod}) == "true";
  }
  static void check_group_change(const Value& before, const Value& after, kube::FieldErrors& faults) {
    const std::string old_group(pod_group_of(watching::read_metadata(before)));
    const std::string group(pod_group_of(watching::read_metadata(after)));
    if (old_group.empty() || old_group == group) return;
    CheckedField(faults, after)
        .at({"metadata", "labels"})
        .key(kube::kPodGroupName)
        .invalid(Value(group), "field is immutable");
  }

  ConfigurationInForce configuration_;
};

/// A Deployment is held in its pods: its template gets the queue, and tells that they are held.
class DeploymentWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "deployments.apps"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mdeployment.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vdeployment.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& request, Value deployment) override {
    const StoredObjects objects(request.stored);
    if (!has_queues(objects)) return deployment;
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, kDeploymentFramework)) return deployment;
    deployment = with_default_queue(objects, configuration, std::move(deployment));
    const auto is_held = is_created_suspended(objects, configuration, deployment);
    if (!is_held) return tl::unexpected(is_held.error());
    if (!*is_held) return deployment;
    const auto in_template = [&](std::string_view field, std::string_view name, std::string_view value) {
      deployment =
          document::with_at(std::move(deployment), {"spec", "template", "metadata", field, name}, Value(value));
    };
    in_template("annotations", kSuspendedByParent, kDeploymentFramework);
    in_template("labels", kManagedPod, "true");
    for (const std::string_view label : {kube::kQueueName, kube::kWorkloadPriorityClassLabel}) {
      const std::string value(document::text_at(deployment, {"metadata", "labels", label}));
      if (!value.empty()) in_template("labels", label, value);
    }
    return deployment;
  }

  Verdict<void> review(const WebhookRequest& request, const Value& deployment) override {
    const StoredObjects objects(request.stored);
    if (!has_queues(objects) || !manages(configuration_.of(objects), kDeploymentFramework)) return {};
    kube::FieldErrors faults;
    const CheckedField queue = CheckedField(faults, deployment).at({"metadata", "labels"}).key(kube::kQueueName);
    if (queue.is_set()) {
      for (const auto& problem : kube::dns_subdomain_problems(queue.text())) queue.invalid(problem);
    }
    if (!is_new(request)) {
      const std::string_view before = queue_label(*request.old);
      const bool has_ready = document::value_at(*request.old, {"status", "readyReplicas"}).is_integer() &&
                             document::value_at(*request.old, {"status", "readyReplicas"}).integer() > 0;
      if ((has_ready || queue.text().empty()) && queue.text() != before) {
        queue.invalid(Value(queue.text()), "field is immutable");
      }
    }
    if (const auto refusal = aggregate(faults)) return tl::unexpected(*refusal);
    return {};
  }

 private:
  ConfigurationInForce configuration_;
};

}  // namespace

apiserver::Webhooks make_pod_webhooks() {
  return {std::make_shared<PodWebhook>(), std::make_shared<DeploymentWebhook>()};
}

}  // namespace loadline::operators::kueue
