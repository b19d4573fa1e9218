#include "hosts/operators/lws/webhooks.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hosts/operators/lws/group_pod.h"
#include "hosts/operators/lws/leader_worker_set_rules.h"

namespace loadline::operators {
namespace {

using apiserver::WebhookRequest;
using document::Value;

class LeaderWorkerSetWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override {
    return resource == "leaderworkersets.leaderworkerset.x-k8s.io";
  }
  [[nodiscard]] std::string_view mutating_name() const override { return "mleaderworkerset.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vleaderworkerset.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& /*request*/, Value set) override {
    return with_leader_worker_set_defaults(std::move(set));
  }

  Verdict<void> review(const WebhookRequest& request, const Value& set) override {
    std::optional<std::string> refusal = leader_worker_set_refusal(faults_of_leader_worker_set(set, request.old));
    if (refusal) return tl::unexpected(std::move(*refusal));
    return {};
  }
};

class LwsPodWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "pods"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "mpod.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vpod.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& request, Value pod) override {
    if (request.operation != apiserver::AdmissionRequest::Operation::kCreate) return pod;
    return as_group_pod(std::move(pod), request.name_space);
  }
};

}  // namespace

apiserver::Webhooks make_lws_webhooks() {
  return {std::make_shared<LeaderWorkerSetWebhook>(), std::make_shared<LwsPodWebhook>()};
}

}  // namespace loadline::operators
