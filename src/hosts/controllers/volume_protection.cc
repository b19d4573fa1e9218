#include "hosts/controllers/volume_protection.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/claim_use.h"
#include "objects/kube/core/volume.h"

namespace loadline::controllers {
namespace {

constexpr std::string_view kClaimProtection = "kubernetes.io/pvc-protection";
constexpr std::string_view kVolumeProtection = "kubernetes.io/pv-protection";
constexpr std::string_view kAttributesClassProtection = "kubernetes.io/vac-protection";

/// Its kubelet has done with it, or it was deleted by force: nothing but finalizers keep it.
bool is_shut_down(const kube::Pod& pod) {
  return pod.metadata.deletion_timestamp && pod.metadata.deletion_grace_period_seconds == 0;
}

/// A claim that was made for a pod is not kept by what is left of it: the pod may wait for its claim to go, if it is
/// deleted in the foreground, and neither would go.
bool keeps(const kube::Pod& pod, const kube::Volume& volume, const kube::ObjectMeta& claim) {
  if (claim_of(pod, volume) != claim.name) return false;
  if (volume.persistent_volume_claim) return true;
  const kube::OwnerReference* owner = claim.controller();
  return owner != nullptr && owner->uid == pod.metadata.uid && !is_shut_down(pod);
}

bool uses(const kube::Pod& pod, const kube::ObjectMeta& claim) {
  return std::any_of(pod.spec->volumes.begin(), pod.spec->volumes.end(),
                     [&](const kube::Volume& volume) { return keeps(pod, volume, claim); });
}

/// A pod without a node does not count: no kubelet would start it with a claim that is being deleted.
/// Source: podUsesPVCForDeletion in pkg/controller/volume/pvcprotection, v1.36.
bool is_used(const Observed<kube::PersistentVolumeClaim>& claim, const Caches& caches) {
  const auto& pods = caches.of<kube::Pod>().in(claim.metadata().namespace_);
  return std::any_of(pods.begin(), pods.end(), [&](const auto& named) {
    const kube::Pod& pod = named.second->view;
    return !pod.spec->node_name.empty() && uses(pod, claim.metadata());
  });
}

/// Pods that would use the claim if they were bound: they may have been, and the cache not know it yet.
/// Source: upstream asks the API server for all pods of the namespace (askAPIServer). A pod that the cache does not
/// know at all is not among ours, and cannot have been bound by a scheduler that reads the same cache.
Precondition whether_bound(const Observed<kube::PersistentVolumeClaim>& claim, const Caches& caches) {
  Precondition precondition;
  for (const auto& [name, pod] : caches.of<kube::Pod>().in(claim.metadata().namespace_)) {
    if (!uses(pod->view, claim.metadata())) continue;
    precondition.objects.push_back({"", "v1", "pods", pod->metadata().namespace_, pod->metadata().name});
  }
  precondition.is_violated_by = [](const document::Value& pod) {
    return !document::text_at(pod, {"spec", "nodeName"}).empty();
  };
  return precondition;
}

class ClaimProtectionController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "pvc-protection-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::PersistentVolumeClaim>(own_key<kube::PersistentVolumeClaim>);
    to.on<kube::Pod>([](const Change<kube::Pod>& change, Keys& keys) {
      const kube::Pod& pod = change.last().view;
      if (change.after != nullptr && !is_shut_down(pod)) return;
      for (const kube::Volume& volume : pod.spec->volumes) {
        std::string claim = claim_of(pod, volume);
        if (!claim.empty()) keys.insert({pod.metadata.namespace_, std::move(claim)});
      }
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const auto claim = context.caches.of<kube::PersistentVolumeClaim>().find(key);
    if (claim == nullptr) return result;
    const bool is_protected = has_finalizer(claim->metadata(), kClaimProtection);
    const KindName& kind = kind_name<kube::PersistentVolumeClaim>();
    if (!claim->is_being_deleted()) {
      if (!is_protected) result.then(add_finalizer(kind, claim->metadata(), kClaimProtection));
    } else if (is_protected && !is_used(*claim, context.caches)) {
      Action release = remove_finalizer(kind, claim->metadata(), kClaimProtection);
      release.precondition = whether_bound(*claim, context.caches);
      result.then(std::move(release));
    }
    return result;
  }
};

class VolumeProtectionController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "pv-protection-controller"; }

  void subscribe(Subscriptions& to) override { to.on<kube::PersistentVolume>(own_key<kube::PersistentVolume>); }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const auto volume = context.caches.of<kube::PersistentVolume>().find(key);
    if (volume == nullptr) return result;
    const bool is_protected = has_finalizer(volume->metadata(), kVolumeProtection);
    const KindName& kind = kind_name<kube::PersistentVolume>();
    if (!volume->is_being_deleted()) {
      if (!is_protected) result.then(add_finalizer(kind, volume->metadata(), kVolumeProtection));
    } else if (is_protected && volume->view.phase != "Bound") {
      result.then(remove_finalizer(kind, volume->metadata(), kVolumeProtection));
    }
    return result;
  }
};

// ---- VolumeAttributesClasses ----------------------------------------------------------------------------------------

/// The classes that a claim has, wants, or is being changed to; empty names among them.
std::set<std::string_view> attributes_classes_of(const Observed<kube::PersistentVolumeClaim>& claim) {
  return {claim.view.spec.volume_attributes_class_name,
          document::text_at(claim.document, {"status", "currentVolumeAttributesClassName"}),
          document::text_at(claim.document, {"status", "modifyVolumeStatus", "targetVolumeAttributesClassName"})};
}

std::set<std::string_view> attributes_classes_of(const Observed<kube::PersistentVolume>& volume) {
  return {volume.view.volume_attributes_class_name};
}

template <class Kind>
bool names_attributes_class(const Cache<Kind>& cache, std::string_view name) {
  for (const auto& [name_space, objects] : cache.namespaces()) {
    for (const auto& [key, object] : objects) {
      if (attributes_classes_of(*object).contains(name)) return true;
    }
  }
  return false;
}

/// Classes that the object does not name any more.
template <class Kind>
void attributes_classes_let_go(const Change<Kind>& change, Keys& keys) {
  if (change.before == nullptr) return;
  for (const std::string_view name : attributes_classes_of(*change.before)) {
    const bool is_kept = change.after != nullptr && attributes_classes_of(*change.after).contains(name);
    if (!is_kept && !name.empty()) keys.insert({"", std::string(name)});
  }
}

class AttributesClassProtectionController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "volumeattributesclass-protection-controller"; }

  void subscribe(Subscriptions& to) override {
    to.on<VolumeAttributesClass>(own_key<VolumeAttributesClass>);
    to.on<kube::PersistentVolumeClaim>(attributes_classes_let_go<kube::PersistentVolumeClaim>);
    to.on<kube::PersistentVolume>(attributes_classes_let_go<kube::PersistentVolume>);
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const auto of = context.caches.of<VolumeAttributesClass>().find(key);
    if (of == nullptr) return result;
    const bool is_protected = has_finalizer(of->metadata(), kAttributesClassProtection);
    const KindName& kind = kind_name<VolumeAttributesClass>();
    if (!of->is_being_deleted()) {
      if (!is_protected) result.then(add_finalizer(kind, of->metadata(), kAttributesClassProtection));
    } else if (is_protected && !is_named(key.name, context.caches)) {
      result.then(remove_finalizer(kind, of->metadata(), kAttributesClassProtection));
    }
    return result;
  }

 private:
  static bool is_named(std::string_view name, const Caches& caches) {
    return names_attributes_class(caches.of<kube::PersistentVolume>(), name) ||
           names_attributes_class(caches.of<kube::PersistentVolumeClaim>(), name);
  }
};

}  // namespace

std::unique_ptr<Controller> make_claim_protection_controller() { return std::make_unique<ClaimProtectionController>(); }

std::unique_ptr<Controller> make_volume_protection_controller() {
  return std::make_unique<VolumeProtectionController>();
}

std::unique_ptr<Controller> make_attributes_class_protection_controller() {
  return std::make_unique<AttributesClassProtectionController>();
}

}  // namespace loadline::controllers
