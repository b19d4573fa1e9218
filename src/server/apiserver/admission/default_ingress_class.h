#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// An ingress that names no IngressClass, neither by field nor by annotation, gets the one that is marked as default:
/// of several the newest, of those the first by name.
/// Source: plugin/pkg/admission/network/defaultingressclass, v1.36.
class DefaultIngressClass final : public AdmissionPlugin {
 public:
  explicit DefaultIngressClass(const store::Store& store) : store_(store) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;

 private:
  const store::Store& store_;
};

}  // namespace loadline::apiserver
