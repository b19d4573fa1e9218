#include "hosts/operators/scheduler_plugins/pod_group_controller.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/coscheduling.h"
#include "foundation/document/at.h"
#include "objects/kube/coscheduling/pod_group_schema.h"
#include "objects/kube/encoder.h"

namespace loadline::operators {
namespace {

using cluster::spellings::kCoschedulingLabel;
using document::Value;

/// "ml/train-a,ml/train-b": the owners of the group's first pod.
std::string owners_of(const kube::Pod& pod) {
  std::vector<std::string> owners;
  for (const kube::OwnerReference& owner : pod.metadata.owner_references) {
    owners.push_back(fmt::format("{}/{}", pod.metadata.namespace_, owner.name));
  }
  std::ranges::sort(owners);
  return fmt::format("{}", fmt::join(owners, ","));
}

void count(std::span<const kube::Pod* const> pods, kube::CoschedulingStatus& status) {
  status.running = status.succeeded = status.failed = 0;
  for (const kube::Pod* pod : pods) {
    if (pod->status.phase == kube::PodPhase::kRunning) ++status.running;
    if (pod->status.phase == kube::PodPhase::kSucceeded) ++status.succeeded;
    if (pod->status.phase == kube::PodPhase::kFailed) ++status.failed;
  }
}

std::string_view phase_of(const kube::CoschedulingStatus& counts, std::size_t pods, std::int32_t needed) {
  if (counts.succeeded >= needed && pods > 0) return "Finished";
  if (counts.failed > 0 && counts.failed + counts.running + counts.succeeded >= needed) return "Failed";
  if (static_cast<std::int64_t>(pods) < needed) return "Pending";
  return counts.running + counts.succeeded >= needed ? "Running" : "Scheduling";
}

class PodGroupController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "pod-group-controller"; }
  [[nodiscard]] std::string_view reporter() const override { return "PodGroupController"; }
  [[nodiscard]] Duration pause() const override { return {200'000'000}; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::CoschedulingPodGroup>(watching::own_key<kube::CoschedulingPodGroup>);
    to.on<kube::Pod>([](const watching::Change<kube::Pod>& change, watching::Keys& keys) {
      for (const auto& version : {change.before, change.after}) {
        if (version == nullptr) continue;
        const auto label = version->metadata().labels.find(kCoschedulingLabel);
        if (label != version->metadata().labels.end()) keys.insert({version->metadata().namespace_, label->second});
      }
    });
  }

  watching::Reconciliation reconcile(const watching::ObjectKey& key, const controllers::Context& context) override {
    watching::Reconciliation result;
    const auto group = context.caches.of<kube::CoschedulingPodGroup>().find(key);
    if (group == nullptr || group->is_being_deleted()) return result;
    std::vector<const kube::Pod*> pods;
    for (const auto& [name, pod] : context.caches.of<kube::Pod>().in(key.name_space)) {
      const auto label = pod->metadata().labels.find(kCoschedulingLabel);
      if (label != pod->metadata().labels.end() && label->second == key.name) pods.push_back(&pod->view);
    }
    kube::CoschedulingPodGroup wanted = group->view;
    wanted.status = status_of(group->view, pods);
    if (wanted.status == group->view.status) return result;
    Value status = document::value_at(kube::encode_object(kube::kCoschedulingPodGroupSchema, &wanted), {"status"});
    result.then(watching::update_status(watching::kind_name<kube::CoschedulingPodGroup>(), key,
                                        Value(group->document).with("status", std::move(status))));
    return result;
  }
};

}  // namespace

kube::CoschedulingStatus status_of(const kube::CoschedulingPodGroup& group, std::span<const kube::Pod* const> pods) {
  kube::CoschedulingStatus status = group.status;
  if (status.phase == "Finished" || status.phase == "Failed") return status;
  if (status.phase.empty()) {
    status.phase = "Pending";
    return status;
  }
  if (status.phase == "Pending") {
    if (static_cast<std::int64_t>(pods.size()) < group.min_member) return status;
    status.phase = "Scheduling";
    if (!pods.empty()) status.occupied_by = owners_of(*pods.front());
    return status;
  }
  count(pods, status);
  status.phase = phase_of(status, pods.size(), group.min_member);
  return status;
}

std::unique_ptr<controllers::Controller> make_pod_group_controller() { return std::make_unique<PodGroupController>(); }

}  // namespace loadline::operators
