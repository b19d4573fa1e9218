#include "server/apiserver/admission/default_storage_class.h"

#include <vector>

#include "objects/kube/core/volume_schema.h"
#include "objects/kube/storage/storage.h"
#include "objects/kube/storage/storage_classes.h"
#include "objects/kube/storage/storage_schema.h"
#include "objects/kube/view.h"
#include "server/apiserver/admission/spec_edit.h"

namespace loadline::apiserver {

using document::Value;

// Claims are rare and classes few, so the classes are read for each claim.
Answer<Value> DefaultStorageClass::complete(const AdmissionRequest& request, Value object) {
  const bool creates = request.operation == AdmissionRequest::Operation::kCreate && request.call.subresource.empty();
  if (!creates || request.call.served->store_name != "persistentvolumeclaims") return object;
  const auto claim = kube::view<kube::PersistentVolumeClaim>(object, kube::kPersistentVolumeClaimSchema).object;
  if (kube::names_class(claim)) return object;
  store::StoreResult<store::Listing> listing = store_.list("storageclasses.storage.k8s.io", {});
  if (!listing) return object;  // the latest state can always be listed
  std::vector<kube::StorageClass> classes;
  for (const store::ObjectPtr* stored = listing->next(); stored != nullptr; stored = listing->next()) {
    classes.push_back(kube::view<kube::StorageClass>((*stored)->document(), kube::kStorageClassSchema).object);
  }
  const kube::StorageClass* best = kube::default_class(classes);
  if (best == nullptr) return object;
  return with_spec(object, {{"storageClassName", Value(best->metadata.name)}});
}

}  // namespace loadline::apiserver
