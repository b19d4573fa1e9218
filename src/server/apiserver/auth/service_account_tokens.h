#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "server/apiserver/auth/user.h"
#include "server/net/crypto.h"

namespace loadline::apiserver {

inline constexpr std::string_view kIssuer = "https://kubernetes.default.svc.cluster.local";

/// Finds an object as it is now: resource, namespace (empty: cluster-wide), name. Nothing if there is none.
using FindObject = std::function<std::optional<document::Value>(std::string_view resource, std::string_view name_space,
                                                                std::string_view name)>;

/// An object that a token names.
struct TokenReference {
  std::string name;
  std::string uid;
};

/// What a token will say.
struct TokenClaims {
  std::string name_space;
  TokenReference service_account;
  std::optional<TokenReference> pod;
  std::optional<TokenReference> node;
  std::optional<TokenReference> secret;
  std::vector<std::string> audiences;
  Duration lifetime;
  std::optional<Duration> warn_after;
};

/// The user that a token stands for, and which of the audiences asked for it is meant for.
struct TokenIdentity {
  User user;
  std::vector<std::string> audiences;
};

/// Issues and verifies the JWTs of service accounts, signed by one key.
/// Source: k8s.io/kubernetes/pkg/serviceaccount, v1.36.
class ServiceAccountTokens {
 public:
  explicit ServiceAccountTokens(net::SigningKey key);

  /// The server's own audience: what a token is for that names no other.
  [[nodiscard]] std::vector<std::string> own_audiences() const { return {std::string(kIssuer)}; }

  [[nodiscard]] std::string issue(const TokenClaims& claims, Instant now) const;

  /// Whether the text is a JWT that says to come from here: only then does `verify` have an opinion.
  [[nodiscard]] bool is_ours(std::string_view token) const;

  /// Checks signature, times, audiences (empty: our own), and that the service account and what the token is bound to
  /// are still the same objects. Fails in upstream's words. REQUIRES: is_ours(token). O(token); a signature that was
  /// found good before is not computed again.
  [[nodiscard]] Result<TokenIdentity> verify(std::string_view token, const std::vector<std::string>& audiences,
                                             Instant now, const FindObject& find) const;

  /// /.well-known/openid-configuration; `server` is "127.0.0.1:6443".
  [[nodiscard]] document::Value discovery(std::string_view server) const;
  /// /openid/v1/jwks.
  [[nodiscard]] document::Value key_set() const;

 private:
  [[nodiscard]] Result<document::Value> verified_claims(std::string_view token) const;
  [[nodiscard]] Result<document::Value> read_claims(std::string_view token) const;

  net::SigningKey key_;
  /// Claims of tokens whose signature was good, which it will be for ever: all else about a token is looked at anew.
  mutable std::unordered_map<std::string, document::Value> verified_;
};

}  // namespace loadline::apiserver
