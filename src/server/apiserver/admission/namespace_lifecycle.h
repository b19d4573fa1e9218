#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Nothing is created in a namespace that is not there, or is being deleted; the namespaces that a cluster cannot do
/// without stay. Source: k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle, v0.36.
class NamespaceLifecycle final : public AdmissionPlugin {
 public:
  explicit NamespaceLifecycle(const store::Store& store) : store_(store) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;
  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  const store::Store& store_;
};

}  // namespace loadline::apiserver
