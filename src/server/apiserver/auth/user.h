#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::apiserver {

// Names that mean something to the server. Source: k8s.io/apiserver/pkg/authentication/user, v0.36.
inline constexpr std::string_view kMasters = "system:masters";
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kNodes = "system:nodes";
inline constexpr std::string_view kNodePrefix = "system:node:";
inline constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";
inline constexpr std::string_view kServiceAccounts = "system:serviceaccounts";
inline constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";
inline constexpr std::string_view kPodName = "authentication.kubernetes.io/pod-name";
inline constexpr std::string_view kPodUid = "authentication.kubernetes.io/pod-uid";
inline constexpr std::string_view kNodeName = "authentication.kubernetes.io/node-name";
inline constexpr std::string_view kNodeUid = "authentication.kubernetes.io/node-uid";

/// The user that a request is from: user.Info upstream.
struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>, std::less<>> extra;

  [[nodiscard]] bool is_in(std::string_view group) const {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  }
  friend bool operator==(const User&, const User&) = default;
};

/// "system:serviceaccount:<namespace>:<name>".
[[nodiscard]] inline std::string service_account_user(std::string_view name_space, std::string_view name) {
  return std::string(kServiceAccountPrefix).append(name_space).append(":").append(name);
}

/// The groups of every service account, and of those in that namespace.
[[nodiscard]] inline std::vector<std::string> service_account_groups(std::string_view name_space) {
  return {std::string(kServiceAccounts), std::string(kServiceAccounts).append(":").append(name_space)};
}

}  // namespace loadline::apiserver
