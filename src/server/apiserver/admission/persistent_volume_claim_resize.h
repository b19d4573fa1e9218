#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Only a bound claim may ask for more than before, and only if its StorageClass allows it.
/// Source: plugin/pkg/admission/storage/persistentvolume/resize, v1.36.
class PersistentVolumeClaimResize final : public AdmissionPlugin {
 public:
  explicit PersistentVolumeClaimResize(const store::Store& store) : store_(store) {}

  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  const store::Store& store_;
};

}  // namespace loadline::apiserver
