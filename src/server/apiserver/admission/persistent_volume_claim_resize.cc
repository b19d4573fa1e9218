#include "server/apiserver/admission/persistent_volume_claim_resize.h"

#include <string>

#include "objects/kube/core/volume_schema.h"
#include "objects/kube/storage/storage_classes.h"
#include "objects/kube/view.h"
#include "server/apiserver/admission/refusal.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::PersistentVolumeClaim;

PersistentVolumeClaim claim_of(const Value& document) {
  return kube::view<PersistentVolumeClaim>(document, kube::kPersistentVolumeClaimSchema).object;
}

kube::Quantity size_of(const PersistentVolumeClaim& claim) {
  const auto found = claim.spec.requests.find("storage");
  return found == claim.spec.requests.end() ? kube::Quantity() : found->second;
}

bool allows_growth(const store::Store& store, std::string_view storage_class) {
  const store::ObjectPtr stored = store.get({"storageclasses.storage.k8s.io", "", std::string(storage_class)});
  if (stored == nullptr) return false;
  const Value document = stored->document();
  const Value* allowed = document.find("allowVolumeExpansion");
  return allowed != nullptr && allowed->is_boolean() && allowed->boolean();
}

}  // namespace

Answer<void> PersistentVolumeClaimResize::review(const AdmissionRequest& request, const Value& object) {
  const Call& call = request.call;
  const bool updates = request.operation == AdmissionRequest::Operation::kUpdate && call.subresource.empty();
  if (!updates || call.served->store_name != "persistentvolumeclaims" || request.old == nullptr) return {};
  const PersistentVolumeClaim claim = claim_of(object);
  const PersistentVolumeClaim before = claim_of(*request.old);
  if (size_of(claim) <= size_of(before)) return {};
  if (before.phase != "Bound") {
    return refuse(refusal(call, object, "Only bound persistent volume claims can be expanded"));
  }
  const std::string_view storage_class = kube::class_of(claim);
  if (storage_class.empty() || storage_class != kube::class_of(before) || !allows_growth(store_, storage_class)) {
    return refuse(refusal(call, object,
                          "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
                          "pvc must support resize"));
  }
  return {};
}

}  // namespace loadline::apiserver
