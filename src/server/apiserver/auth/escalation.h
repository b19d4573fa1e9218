#pragma once

#include <optional>

#include "foundation/document/value.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/auth/rbac.h"

namespace loadline::apiserver {

/// Whether a user that may write roles and bindings may write this one: it must grant nothing that the user does not
/// have, unless the user may `escalate` roles or `bind` the role. Nothing: yes, or it is no such resource.
///
/// `request` is what was authorized; `previous` is null on creation. Members of system:masters always may, and so may
/// writes that change only what garbage collection needs (owners, finalizers).
/// Source: k8s.io/kubernetes/pkg/registry/rbac, v1.36.
[[nodiscard]] std::optional<StatusError> check_escalation(const Rbac& rbac, const Attributes& request,
                                                          const document::Value& proposed,
                                                          const document::Value* previous);

}  // namespace loadline::apiserver
