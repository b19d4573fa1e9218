#include "server/apiserver/auth/authenticator.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "foundation/base/text.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {
namespace {

/// The token of "Bearer <token>"; nothing if the header is of another scheme, which then counts as no credential.
std::optional<std::string_view> bearer_token(std::string_view authorization) {
  const std::string_view header = trim(authorization);
  const std::size_t space = header.find(' ');
  if (space == std::string_view::npos || kube::lower_case(header.substr(0, space)) != "bearer") return std::nullopt;
  std::string_view token = header.substr(space + 1);
  token = token.substr(0, token.find(' '));
  if (token.empty()) return std::nullopt;
  return token;
}

User with_authenticated_group(User user) {
  if (!user.is_in(kAuthenticated) && !user.is_in(kUnauthenticated)) user.groups.emplace_back(kAuthenticated);
  return user;
}

}  // namespace

bool is_open_to_all(std::string_view path) {
  constexpr std::array<std::string_view, 4> kOpen = {"/healthz", "/livez", "/readyz", "/version"};
  return std::any_of(kOpen.begin(), kOpen.end(), [&](std::string_view open) {
    return path.starts_with(open) && (path.size() == open.size() || path[open.size()] == '/');
  });
}

Authenticator::Authenticator(std::string token, User owner, const ServiceAccountTokens& tokens, FindObject find)
    : token_(std::move(token)),
      owner_(with_authenticated_group(std::move(owner))),
      tokens_(tokens),
      find_(std::move(find)) {}

Result<TokenIdentity> Authenticator::verify_token(std::string_view token, const std::vector<std::string>& audiences,
                                                  Instant now) const {
  constexpr std::string_view kInvalid = "invalid bearer token";
  if (!token_.empty() && net::equal_secrets(token, token_)) {
    const std::vector<std::string> own = own_audiences();
    const bool is_for_us =
        audiences.empty() || std::find(audiences.begin(), audiences.end(), own.front()) != audiences.end();
    if (!is_for_us) return failure(std::string(kInvalid));
    return TokenIdentity{owner_, own};
  }
  if (!tokens_.is_ours(token)) return failure(std::string(kInvalid));
  Result<TokenIdentity> identity = tokens_.verify(token, audiences, now, find_);
  if (identity.has_value()) {
    identity->user = with_authenticated_group(std::move(identity->user));
    return identity;
  }
  // Two authenticators have refused it, and both are heard.
  if (identity.error().message == kInvalid) return identity;
  return failure("[" + std::string(kInvalid) + ", " + identity.error().message + "]");
}

Answer<User> Authenticator::authenticate(const Credentials& credentials, Instant now) const {
  if (credentials.peer != nullptr && credentials.peer->certificate.has_value() &&
      !credentials.peer->certificate->common_name.empty()) {
    const net::CertificateSubject& subject = *credentials.peer->certificate;
    User user;
    user.name = subject.common_name;
    user.groups = subject.organizations;
    return with_authenticated_group(std::move(user));
  }
  if (const auto token = bearer_token(credentials.authorization)) {
    Result<TokenIdentity> identity = verify_token(*token, {}, now);
    if (!identity.has_value()) return refuse(unauthorized());
    return std::move(identity->user);
  }
  if (!is_open_to_all(credentials.path)) return refuse(unauthorized());
  User anonymous;
  anonymous.name = kAnonymous;
  anonymous.groups = {std::string(kUnauthenticated)};
  return anonymous;
}

}  // namespace loadline::apiserver
