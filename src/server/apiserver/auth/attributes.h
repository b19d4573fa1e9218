#pragma once

#include <string>
#include <string_view>

#include "server/apiserver/auth/user.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

inline constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";

/// What is asked of an authorizer: may this user do that? The user must outlive the question.
struct Attributes {
  const User* user = nullptr;
  std::string verb;
  bool is_resource = false;

  // Of a resource.
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string name;
  std::string name_space;  ///< empty: at the cluster scope

  std::string path;  ///< of what is no resource
};

[[nodiscard]] Attributes attributes_of(const User& user, const RequestInfo& request);

/// 403 in the words of kube-apiserver: `pods is forbidden: User "bob" cannot list resource "pods" in API group "" in
/// the namespace "default"`, followed by the authorizer's reason if it gave one. Source:
/// k8s.io/apiserver/pkg/endpoints/handlers/responsewriters ForbiddenStatusError, v0.36.
[[nodiscard]] StatusError not_allowed(const Attributes& attributes, std::string_view reason);

}  // namespace loadline::apiserver
