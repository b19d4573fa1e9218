#include "hosts/controllers/ephemeral_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "objects/kube/core/ephemeral_claims.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;

bool wants_claims(const Observed<kube::Pod>& pod) {
  const auto& volumes = pod.view.spec->volumes;
  return !pod.is_being_deleted() && std::any_of(volumes.begin(), volumes.end(), [](const kube::Volume& volume) {
    return volume.ephemeral_claim.has_value();
  });
}

/// The template of the claim, as the pod has it; null if there is none.
const Value* claim_template(const Value& pod, std::string_view volume) {
  const Value* volumes = document::find_at(pod, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return nullptr;
  for (const Value& candidate : volumes->array()) {
    if (text_at(candidate, {"name"}) == volume)
      return document::find_at(candidate, {"ephemeral", "volumeClaimTemplate"});
  }
  return nullptr;
}

Action creation(const Observed<kube::Pod>& pod, const kube::Volume& volume) {
  const std::string name = kube::ephemeral_claim_name(pod.metadata().name, volume);
  const Value* from = claim_template(pod.document, volume.name);
  Object metadata{{"name", Value(name), {}}};
  for (const std::string_view part : {"labels", "annotations"}) {
    const Value* found = from == nullptr ? nullptr : document::find_at(*from, {"metadata", part});
    if (found != nullptr) metadata.push_back({std::string(part), *found, {}});
  }
  Array owners{controller_reference(kind_name<kube::Pod>(), pod.metadata())};
  metadata.push_back({"ownerReferences", Value(std::move(owners)), {}});
  const Value* spec = from == nullptr ? nullptr : from->find("spec");
  Action action = create(kind_name<kube::PersistentVolumeClaim>(), pod.metadata().namespace_,
                         Value(Object{{"apiVersion", Value("v1"), {}},
                                      {"kind", Value("PersistentVolumeClaim"), {}},
                                      {"metadata", Value(std::move(metadata)), {}},
                                      {"spec", spec == nullptr ? Value(Object()) : *spec, {}}}));
  action.said_if_failed = Event{reference_to(pod), Event::Type::kWarning, "FailedBinding",
                                fmt::format("ephemeral volume {}: create PVC {}: ", volume.name, name)};
  return action;
}

class EphemeralVolumeController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "ephemeral_volume"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Pod>([](const Change<kube::Pod>& change, Keys& keys) {
      if (change.after != nullptr && wants_claims(*change.after)) keys.insert(change.after->key());
    });
    to.on<kube::PersistentVolumeClaim>([](const Change<kube::PersistentVolumeClaim>& change, Keys& keys) {
      if (change.after != nullptr) return;
      const kube::OwnerReference* pod = change.before->metadata().controller();
      if (pod != nullptr && pod->kind == "Pod") keys.insert({change.before->metadata().namespace_, pod->name});
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const auto pod = context.caches.of<kube::Pod>().find(key);
    if (pod == nullptr || !wants_claims(*pod)) return result;
    std::vector<Action> creations;
    for (const kube::Volume& volume : pod->view.spec->volumes) {
      if (!volume.ephemeral_claim) continue;
      const std::string name = kube::ephemeral_claim_name(key.name, volume);
      const auto claim = context.caches.of<kube::PersistentVolumeClaim>().find(key.name_space, name);
      if (claim == nullptr) {
        creations.push_back(creation(*pod, volume));
      } else if (const auto* owner = claim->metadata().controller();
                 owner == nullptr || owner->uid != pod->metadata().uid) {
        result.events.push_back(
            {reference_to(*pod), Event::Type::kWarning, "FailedBinding",
             fmt::format("ephemeral volume {}: PVC {} was not created for pod {} (pod is not owner)", volume.name,
                         claim->key().to_string(), key.to_string())});
        result.wake_after(Duration::seconds(60));
      }
    }
    result.then(std::move(creations));
    return result;
  }
};

}  // namespace

std::unique_ptr<Controller> make_ephemeral_volume_controller() { return std::make_unique<EphemeralVolumeController>(); }

}  // namespace loadline::controllers
