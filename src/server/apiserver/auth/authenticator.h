#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "server/apiserver/auth/service_account_tokens.h"
#include "server/apiserver/auth/user.h"
#include "server/apiserver/status.h"
#include "server/net/peer.h"

namespace loadline::apiserver {

/// What a request brings along to identify its sender.
struct Credentials {
  const net::Peer* peer = nullptr;  ///< its certificate was verified when the connection was made
  std::string_view authorization;   ///< the header; empty: none
  std::string_view path;
};

/// Identifies the user that sends a request: by client certificate, by the token made at start, or by service account
/// token. For health and version only, the user may be anonymous.
/// Source: k8s.io/apiserver/pkg/authentication and k8s.io/kubernetes/pkg/kubeapiserver/authenticator, v1.36.
class Authenticator {
 public:
  /// A request that bears `token` is of the user `owner`. `tokens` must outlive this.
  Authenticator(std::string token, User owner, const ServiceAccountTokens& tokens, FindObject find);

  /// 401 if the request identifies no user, or if a token is wrong, whatever the path. O(headers).
  [[nodiscard]] Answer<User> authenticate(const Credentials& credentials, Instant now) const;

  /// The user that a bearer token stands for, and which of the audiences (empty: our own) it is meant for. Fails in
  /// upstream's words.
  [[nodiscard]] Result<TokenIdentity> verify_token(std::string_view token, const std::vector<std::string>& audiences,
                                                   Instant now) const;

  /// What a token is for that names no audience.
  [[nodiscard]] std::vector<std::string> own_audiences() const { return tokens_.own_audiences(); }

 private:
  std::string token_;
  User owner_;
  const ServiceAccountTokens& tokens_;
  FindObject find_;
};

/// Whether the path is open to anonymous users: /healthz, /livez, /readyz, /version and what is below them.
[[nodiscard]] bool is_open_to_all(std::string_view path);

}  // namespace loadline::apiserver
