#pragma once

#include "server/apiserver/admission/chain.h"
#include "server/apiserver/auth/rbac.h"

namespace loadline::apiserver {

/// No user grants permissions that the user does not have: writes of roles and bindings are checked for that before the
/// object is checked for anything else. Source: the policybased storages of pkg/registry/rbac, v1.36.
class RbacEscalation final : public AdmissionPlugin {
 public:
  /// REQUIRES: `rbac` outlives this.
  explicit RbacEscalation(const Rbac& rbac) : rbac_(rbac) {}

  Answer<document::Value> complete(const AdmissionRequest& request, document::Value object) override;

 private:
  const Rbac& rbac_;
};

}  // namespace loadline::apiserver
