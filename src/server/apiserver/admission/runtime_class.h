#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Gives a pod the overhead, node selector and tolerations of the RuntimeClass that it names, and no overhead but that.
/// Source: plugin/pkg/admission/runtimeclass, v1.36; the rules are in brain/admission/runtime_class.h.
class RuntimeClass final : public AdmissionPlugin {
 public:
  explicit RuntimeClass(const store::Store& store) : store_(store) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;
  Answer<void> review(const AdmissionRequest& request, const document::Value& object) override;

 private:
  /// Null: the pod names none.
  Answer<document::Value> class_of(const Call& call, const document::Value& pod) const;

  const store::Store& store_;
};

}  // namespace loadline::apiserver
