#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/apiserver/auth/rbac.h"

namespace loadline::apiserver {

/// Nobody hands out permissions that they do not have: writes of roles and bindings are asked about before anything
/// else is said of the object. Source: the policybased storages of pkg/registry/rbac, v1.36.
class RbacEscalation final : public AdmissionPlugin {
 public:
  /// REQUIRES: `rbac` outlives this.
  explicit RbacEscalation(const Rbac& rbac) : rbac_(rbac) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;

 private:
  const Rbac& rbac_;
};

}  // namespace loadline::apiserver
