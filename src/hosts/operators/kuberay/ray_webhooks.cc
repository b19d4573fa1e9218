#include "hosts/operators/kuberay/ray_webhooks.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hosts/operators/kuberay/ray_job_rules.h"
#include "hosts/operators/kuberay/ray_rules.h"

namespace loadline::operators {
namespace {

class RayWebhook final : public apiserver::Webhook {
 public:
  /// `refusal_of`: why an object is refused; empty: it is not.
  using RefusalOf = std::string (*)(const document::Value& object);
  RayWebhook(std::string_view resource, std::string_view name, RefusalOf refusal_of)
      : resource_(resource), name_(name), refusal_of_(refusal_of) {}

  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == resource_; }
  [[nodiscard]] std::string_view mutating_name() const override { return name_; }
  [[nodiscard]] std::string_view validating_name() const override { return name_; }

  Verdict<void> review(const apiserver::WebhookRequest& /*request*/, const document::Value& object) override {
    std::string refusal = refusal_of_(object);
    if (!refusal.empty()) return tl::unexpected(std::move(refusal));
    return {};
  }

 private:
  std::string_view resource_;
  std::string_view name_;
  RefusalOf refusal_of_;
};

}  // namespace

apiserver::Webhooks make_ray_webhooks() {
  return {std::make_shared<RayWebhook>("rayclusters.ray.io", "vraycluster.kb.io", ray_cluster_refusal),
          std::make_shared<RayWebhook>("rayjobs.ray.io", "vrayjob.kb.io", ray_job_refusal)};
}

}  // namespace loadline::operators
