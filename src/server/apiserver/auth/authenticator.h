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

/// What a request brings along to say who sends it.
struct Credentials {
  const net::Peer* peer = nullptr;  ///< its certificate was verified when the connection was made
  std::string_view authorization;   ///< the header; empty: none
  std::string_view path;
};

/// Finds out who sends a request: by client certificate, by the token made at start, by service account token, or, for
/// health and version only, nobody.
/// Source: k8s.io/apiserver/pkg/authentication and k8s.io/kubernetes/pkg/kubeapiserver/authenticator, v1.36.
class Authenticator {
 public:
  /// Whoever has `token` is `owner`. `tokens` must outlive this.
  Authenticator(std::string token, User owner, const ServiceAccountTokens& tokens, FindObject find);

  /// 401 if it cannot be said who it is, or if a token is wrong, whatever the path. O(headers).
  [[nodiscard]] Answer<User> authenticate(const Credentials& credentials, Instant now) const;

  /// Whom a bearer token stands for, and which of the audiences (empty: our own) it is meant for. Fails in upstream's
  /// words.
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

/// Whether the path is open to everybody: /healthz, /livez, /readyz, /version and what is below them.
[[nodiscard]] bool is_open_to_all(std::string_view path);

}  // namespace loadline::apiserver
