#include "hosts/operators/jobset/webhooks.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "brain/workloads/job_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/jobset/job_set_rules.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using apiserver::WebhookRequest;
using document::text_at;
using document::Value;

bool creates(const WebhookRequest& request) {
  return request.operation == apiserver::AdmissionRequest::Operation::kCreate;
}

class JobSetWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override {
    return resource == "jobsets.jobset.x-k8s.io";
  }
  [[nodiscard]] std::string_view mutating_name() const override { return "mjobset.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vjobset.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& request, Value object) override {
    return creates(request) ? with_job_set_defaults(std::move(object)) : object;
  }

  Verdict<void> review(const WebhookRequest& request, const Value& object) override {
    const auto find_claim = [&](const std::string& name) {
      return request.stored.find("persistentvolumeclaims", request.name_space, name);
    };
    const kube::FieldErrors faults =
        creates(request) ? faults_of_job_set(object, find_claim) : faults_of_job_set_change(*request.old, object);
    if (std::optional<std::string> refusal = job_set_refusal(object, faults)) return tl::unexpected(*refusal);
    return {};
  }
};

std::string_view label_of(const Value& pod, std::string_view name) {
  return text_at(pod, {"metadata", "labels", name});
}
std::string_view annotation_of(const Value& pod, std::string_view name) {
  return text_at(pod, {"metadata", "annotations", name});
}

/// Whether the operator leads the pod to a domain of its Job's own.
bool is_led_to_its_domain(const Value& pod) {
  return !annotation_of(pod, kube::kJobSetName).empty() &&
         !annotation_of(pod, kube::kJobSetExclusiveTopology).empty() &&
         annotation_of(pod, kube::kJobSetNodeSelector).empty();
}

bool is_leader(const Value& pod) { return annotation_of(pod, kube::kJobCompletionIndex) == "0"; }

std::string_view controller_uid(const Value& pod) {
  const Value* owners = document::find_at(pod, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return {};
  for (const Value& owner : owners->array()) {
    if (document::value_at(owner, {"controller"}) == Value(true)) return text_at(owner, {"uid"});
  }
  return {};
}

bool has_failed(const Value& pod) { return text_at(pod, {"status", "phase"}) == "Failed"; }

/// The leader of a follower's Job, or why there is none that can be followed. One that has failed has been replaced, or
/// will be: JobSet 0.12 counts it, and refuses the follower for ever; later versions do not
/// (kubernetes-sigs/jobset#1276). One that has succeeded is followed, for no other will come.
apiserver::Webhook::Verdict<Value> leader_of(const WebhookRequest& request, const Value& follower) {
  const std::string name =
      fmt::format("{}-{}-{}-0", label_of(follower, kube::kJobSetName), label_of(follower, kube::kReplicatedJobName),
                  label_of(follower, kube::kJobSetJobIndex));
  std::vector<Value> leaders = request.stored.begin_with("pods", request.name_space, name + '-');
  std::erase_if(leaders, [](const Value& pod) {
    return document::find_at(pod, {"metadata", "deletionTimestamp"}) != nullptr || !is_leader(pod) || has_failed(pod);
  });
  if (leaders.size() != 1) {
    return tl::unexpected(fmt::format("expected 1 leader pod ({}), but got {}. this is an expected, transient error",
                                      name, leaders.size()));
  }
  if (controller_uid(leaders.front()) != controller_uid(follower)) {
    return tl::unexpected(fmt::format("follower pod owner UID ({}) != leader pod owner UID ({})",
                                      controller_uid(follower), controller_uid(leaders.front())));
  }
  return leaders.front();
}

class JobSetPodWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "pods"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mpod.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vpod.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& request, Value pod) override {
    if (!creates(request) || annotation_of(pod, kube::kJobSetName).empty() ||
        !annotation_of(pod, kube::kJobSetNodeSelector).empty()) {
      return pod;
    }
    const Value* priority = document::find_at(pod, {"spec", "priority"});
    if (priority != nullptr && priority->is_integer()) {
      pod = document::with_at(std::move(pod), {"metadata", "labels", kube::kJobSetPriority},
                              Value(std::to_string(priority->integer())));
    }
    if (!is_led_to_its_domain(pod)) return pod;
    if (is_leader(pod)) {
      return controllers::with_draft(
          std::move(pod),
          workloads::leader_draft(annotation_of(pod, kube::kJobSetExclusiveTopology),
                                  label_of(pod, kube::kJobSetJobKey), label_of(pod, kube::kJobSetPriority)));
    }
    return follow(request, std::move(pod));
  }

  Verdict<void> review(const WebhookRequest& request, const Value& pod) override {
    if (!creates(request) || !is_led_to_its_domain(pod) || is_leader(pod)) return {};
    const Value* selector = document::find_at(pod, {"spec", "nodeSelector"});
    if (selector == nullptr) return tl::unexpected(std::string("follower pod node selector not set"));
    const std::string_view topology = annotation_of(pod, kube::kJobSetExclusiveTopology);
    if (selector->find(topology) == nullptr) {
      return tl::unexpected(
          fmt::format("follower pod node selector for topology domain not found. missing selector: {}", topology));
    }
    const Verdict<Value> leader = leader_of(request, pod);
    if (!leader) return tl::unexpected(leader.error());
    if (!text_at(*leader, {"spec", "nodeName"}).empty()) return {};
    return tl::unexpected(
        std::string("leader pod not yet scheduled, not creating follower pod. this is an expected, transient error"));
  }

 private:
  /// Into the domain of its leader's node. As long as that is not known, the review refuses the pod.
  static Verdict<Value> follow(const WebhookRequest& request, Value pod) {
    const Verdict<Value> leader = leader_of(request, pod);
    if (!leader || text_at(*leader, {"spec", "nodeName"}).empty()) return pod;
    const std::string node_name(text_at(*leader, {"spec", "nodeName"}));
    const std::string topology(annotation_of(pod, kube::kJobSetExclusiveTopology));
    const std::optional<Value> node = request.stored.find("nodes", "", node_name);
    if (!node) return tl::unexpected(fmt::format("Node \"{}\" not found", node_name));
    const Value* domain = document::find_at(*node, {"metadata", "labels", topology});
    if (domain == nullptr) {
      return tl::unexpected(fmt::format("node does not have topology label: {}", topology));
    }
    return document::with_at(std::move(pod), {"spec", "nodeSelector", topology}, *domain);
  }
};

}  // namespace

apiserver::Webhooks make_jobset_webhooks() {
  return {std::make_shared<JobSetWebhook>(), std::make_shared<JobSetPodWebhook>()};
}

}  // namespace loadline::operators
