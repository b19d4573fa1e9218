#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/auth/rbac.h"
#include "server/apiserver/auth/user.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// A header of a request: its name, in any case, and its value.
using Header = std::pair<std::string_view, std::string_view>;

/// The user that the request wants to impersonate (Impersonate-User, -Uid, -Group, -Extra-<key>); nothing if it names
/// no user. Refuses the other headers without a user. O(headers).
[[nodiscard]] Answer<std::optional<User>> read_impersonation(std::span<const Header> headers);

/// The wanted user, with the groups that go without saying, if the requestor may act as them: either by the verb
/// `impersonate` on users, groups, uids, userextras and serviceaccounts, or for this request only by
/// `impersonate:<mode>` and `impersonate-on:<mode>:<verb>`. The answer of the first mode that applies is told.
/// `request` is what the requestor asks for; its user is the requestor.
/// Source: k8s.io/apiserver/pkg/endpoints/filters/impersonation, v0.36.
[[nodiscard]] Answer<User> impersonate(const User& wanted, const Attributes& request, const Rbac& rbac);

/// The namespace and name in "system:serviceaccount:<namespace>:<name>"; nothing if it is no such user.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> split_service_account(std::string_view user);

}  // namespace loadline::apiserver
