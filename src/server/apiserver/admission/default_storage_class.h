#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// A claim that names no StorageClass, not even "none", gets the one that is marked as default, if there is one.
/// Source: plugin/pkg/admission/storage/storageclass/setdefault, v1.36.
class DefaultStorageClass final : public AdmissionPlugin {
 public:
  explicit DefaultStorageClass(const store::Store& store) : store_(store) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;

 private:
  const store::Store& store_;
};

}  // namespace loadline::apiserver
