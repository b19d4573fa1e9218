#include "hosts/operators/kueue/unheld_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "hosts/operators/kueue/management.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::operators::kueue {
namespace {

struct UnheldKind {
  std::string_view framework;
  std::string_view resource;
  std::string_view kind;
};

constexpr std::array kUnheldKinds = {
    UnheldKind{"ray.io/rayservice", "rayservices.ray.io", "RayService"},
    UnheldKind{"sparkoperator.k8s.io/sparkapplication", "sparkapplications.sparkoperator.k8s.io", "SparkApplication"},
    UnheldKind{"trainer.kubeflow.org/trainjob", "trainjobs.trainer.kubeflow.org", "TrainJob"},
    UnheldKind{"workload.codeflare.dev/appwrapper", "appwrappers.workload.codeflare.dev", "AppWrapper"},
};

class UnheldKindsWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return kind_of(resource) != nullptr; }
  [[nodiscard]] std::string_view mutating_name() const override { return "munheld.kueue.loadline.dev"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vunheld.kueue.loadline.dev"; }

  std::vector<std::string> warnings(const apiserver::WebhookRequest& request, const document::Value& object) override {
    const std::string_view queue = queue_label(object);
    if (queue.empty() || !has_queues(StoredObjects(request.stored))) return {};
    return {fmt::format("metadata.labels[{}]: queue {} does not hold it: Loadline's Kueue holds no {} yet",
                        kube::kQueueName, queue, kind_of(request.resource)->kind)};
  }

 private:
  static const UnheldKind* kind_of(std::string_view resource) {
    const auto* found = std::ranges::find(kUnheldKinds, resource, &UnheldKind::resource);
    return found == kUnheldKinds.end() ? nullptr : found;
  }
};

}  // namespace

bool is_unheld(std::string_view framework) {
  return std::ranges::find(kUnheldKinds, framework, &UnheldKind::framework) != kUnheldKinds.end();
}

apiserver::Webhooks make_unheld_kinds_webhooks() { return {std::make_shared<UnheldKindsWebhook>()}; }

}  // namespace loadline::operators::kueue
