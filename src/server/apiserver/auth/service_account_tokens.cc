#include "server/apiserver/auth/service_account_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/base/base64.h"
#include "foundation/base/text.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/apiserver/auth/policy_rule.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;
using Strings = std::vector<std::string>;

constexpr std::int64_t kNanoseconds = 1'000'000'000;
/// How far clocks may be apart.
constexpr std::int64_t kLeewaySeconds = 60;
/// No token of ours comes near: a bound on what an unknown sender makes us parse.
constexpr std::size_t kLongestToken = 16 * 1024;
/// How many tokens are remembered: more than a busy cluster's clients hold at a time.
constexpr std::size_t kMostVerified = 1024;

std::int64_t seconds(Instant at) { return at.nanoseconds / kNanoseconds; }

Value reference_document(const TokenReference& reference) {
  Object object;
  if (!reference.name.empty()) object.push_back({"name", Value(reference.name), {}});
  if (!reference.uid.empty()) object.push_back({"uid", Value(reference.uid), {}});
  return Value(std::move(object));
}

Value kubernetes_claims(const TokenClaims& claims, Instant now) {
  Object object = {{"namespace", Value(claims.name_space), {}}};
  const auto add = [&](const char* key, const std::optional<TokenReference>& reference) {
    if (reference.has_value()) object.push_back({key, reference_document(*reference), {}});
  };
  add("node", claims.node);
  add("pod", claims.pod);
  add("secret", claims.secret);
  add("serviceaccount", claims.service_account);
  if (claims.warn_after.has_value()) {
    object.push_back({"warnafter", Value(seconds(now + *claims.warn_after)), {}});
  }
  return Value(std::move(object));
}

/// The JSON object in a part of a JWT, unverified.
std::optional<Value> read_part(std::string_view part) {
  const auto json = decode_base64url(part);
  if (!json.has_value()) return std::nullopt;
  const document::Reading reading = document::read_json(*json, {});
  if (has_errors(reading.problems) || reading.documents.size() != 1 || !reading.documents.front().is_object()) {
    return std::nullopt;
  }
  return reading.documents.front();
}

/// A claim in whole seconds; go-jose takes fractions too.
std::optional<std::int64_t> read_time(const Value& claims, std::string_view key) {
  const Value* value = claims.find(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  if (value->is_integer()) return value->integer();
  constexpr double kMost = 1e15;
  return static_cast<std::int64_t>(std::clamp(value->number(), -kMost, kMost));
}

/// One audience may be written without a list.
Strings read_audiences(const Value& claims) {
  const Value* audience = claims.find("aud");
  if (audience != nullptr && audience->is_string()) return {audience->string()};
  return strings_of(audience);
}

Result<void> check_times(const Value& claims, Instant now) {
  const std::int64_t at = seconds(now);
  const auto not_before = read_time(claims, "nbf");
  const auto expiry = read_time(claims, "exp");
  const auto issued = read_time(claims, "iat");
  if (not_before.has_value() && at + kLeewaySeconds < *not_before) {
    return failure("service account token is not valid yet");
  }
  if (expiry.has_value() && at - kLeewaySeconds > *expiry) return failure("service account token has expired");
  if (issued.has_value() && at + kLeewaySeconds < *issued) {
    return failure("service account token is issued in the future");
  }
  return {};
}

Strings common(const Strings& a, const Strings& b) {
  Strings both;
  for (const std::string& each : a) {
    if (std::find(b.begin(), b.end(), each) != b.end()) both.push_back(each);
  }
  return both;
}

TokenReference token_reference(const Value* reference) {
  if (reference == nullptr) return {};
  return {std::string(text_of(*reference, "name")), std::string(text_of(*reference, "uid"))};
}

std::string_view metadata_text(const Value& object, std::string_view key) {
  const Value* metadata = object.find("metadata");
  return metadata == nullptr ? std::string_view() : text_of(*metadata, key);
}

/// Deleted so long ago that no clock explains it; the object only waits for its finalizers.
bool is_deleted(const Value& object, Instant now) {
  const auto at = parse_rfc3339(metadata_text(object, "deletionTimestamp"));
  return at.has_value() && seconds(*at) < seconds(now) - kLeewaySeconds;
}

/// Whether a pod, secret or node that the token is bound to is still there.
Result<void> check_bound(std::string_view resource, std::string_view word, std::string_view name_space,
                         const TokenReference& reference, Instant now, const FindObject& find) {
  const auto object = find(resource, name_space, reference.name);
  if (!object.has_value()) return failure("service account token has been invalidated");
  const std::string_view uid = metadata_text(*object, "uid");
  if (uid != reference.uid) {
    return failure(
        fmt::format("{} UID ({}) does not match service account {} ref claim ({})", word, uid, word, reference.uid));
  }
  if (is_deleted(*object, now)) return failure("service account token has been invalidated");
  return {};
}

Result<void> check_account(std::string_view name_space, const TokenReference& account, Instant now,
                           const FindObject& find) {
  const auto object = find("serviceaccounts", name_space, account.name);
  if (!object.has_value()) return failure(fmt::format("serviceaccounts \"{}\" not found", account.name));
  const std::string_view uid = metadata_text(*object, "uid");
  if (uid != account.uid) {
    return failure(fmt::format("service account UID ({}) does not match claim ({})", uid, account.uid));
  }
  if (is_deleted(*object, now)) {
    return failure(fmt::format("service account {}/{} has been deleted", name_space, account.name));
  }
  return {};
}

/// The user, once the objects in the claims have been looked at.
Result<User> resolve_user(const Value& claims, Instant now, const FindObject& find) {
  const Value* found = claims.find("kubernetes.io");
  const Value kubernetes = found == nullptr ? Value() : *found;
  const std::string name_space(text_of(kubernetes, "namespace"));
  const TokenReference account = token_reference(kubernetes.find("serviceaccount"));
  if (auto checked = check_account(name_space, account, now, find); !checked) return tl::unexpected(checked.error());

  User user;
  user.name = service_account_user(name_space, account.name);
  user.uid = account.uid;
  user.groups = service_account_groups(name_space);
  const auto remember = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) user.extra[std::string(key)] = {std::string(value)};
  };
  if (const std::string_view id = text_of(claims, "jti"); !id.empty()) {
    remember(kCredentialId, "JTI=" + std::string(id));
  }
  if (const Value* secret = kubernetes.find("secret")) {
    if (auto checked = check_bound("secrets", "secret", name_space, token_reference(secret), now, find); !checked) {
      return tl::unexpected(checked.error());
    }
  }
  const Value* pod = kubernetes.find("pod");
  if (pod != nullptr) {
    const TokenReference reference = token_reference(pod);
    if (auto checked = check_bound("pods", "pod", name_space, reference, now, find); !checked) {
      return tl::unexpected(checked.error());
    }
    remember(kPodName, reference.name);
    remember(kPodUid, reference.uid);
  }
  if (const Value* node = kubernetes.find("node")) {
    const TokenReference reference = token_reference(node);
    // With a pod, the node is only told; alone, the token is bound to it.
    if (pod == nullptr) {
      if (auto checked = check_bound("nodes", "node", {}, reference, now, find); !checked) {
        return tl::unexpected(checked.error());
      }
    }
    remember(kNodeName, reference.name);
    remember(kNodeUid, reference.uid);
  }
  return user;
}

}  // namespace

ServiceAccountTokens::ServiceAccountTokens(net::SigningKey key) : key_(std::move(key)) {}

std::string ServiceAccountTokens::issue(const TokenClaims& claims, Instant now) const {
  const Value header(Object{{"alg", Value("ES256"), {}}, {"kid", Value(key_.id()), {}}});
  const Value payload(Object{{"aud", strings_document(claims.audiences), {}},
                             {"exp", Value(seconds(now + claims.lifetime)), {}},
                             {"iat", Value(seconds(now)), {}},
                             {"iss", Value(kIssuer), {}},
                             {"jti", Value(net::random_uuid()), {}},
                             {"kubernetes.io", kubernetes_claims(claims, now), {}},
                             {"nbf", Value(seconds(now)), {}},
                             {"sub", Value(service_account_user(claims.name_space, claims.service_account.name)), {}}});
  std::string token = encode_base64url(document::write_json(header));
  token.append(".").append(encode_base64url(document::write_json(payload)));
  const std::string signature = key_.sign(token);
  return token.append(".").append(encode_base64url(signature));
}

bool ServiceAccountTokens::is_ours(std::string_view token) const {
  if (token.size() > kLongestToken) return false;
  if (verified_.contains(std::string(token))) return true;
  const std::vector<std::string_view> parts = split(token, ".");
  if (parts.size() != 3) return false;
  const auto claims = read_part(parts[1]);
  return claims.has_value() && text_of(*claims, "iss") == kIssuer;
}

Result<Value> ServiceAccountTokens::verified_claims(std::string_view token) const {
  std::string text(token);
  if (const auto found = verified_.find(text); found != verified_.end()) return found->second;
  Result<Value> claims = read_claims(token);
  if (claims.has_value()) {
    if (verified_.size() >= kMostVerified) verified_.clear();
    verified_.emplace(std::move(text), *claims);
  }
  return claims;
}

Result<Value> ServiceAccountTokens::read_claims(std::string_view token) const {
  const std::vector<std::string_view> parts = split(token, ".");
  const auto header = parts.size() == 3 ? read_part(parts[0]) : std::nullopt;
  if (!header.has_value()) return failure("invalid bearer token");
  const std::string_view id = text_of(*header, "kid");
  if (!id.empty() && id != key_.id()) return failure("invalid signature, no keys found");
  const auto signature = decode_base64url(parts[2]);
  const std::string_view message = token.substr(0, parts[0].size() + 1 + parts[1].size());
  if (text_of(*header, "alg") != "ES256" || !signature.has_value() || !key_.verify(message, *signature)) {
    return failure("go-jose/go-jose: error in cryptographic primitive");
  }
  auto claims = read_part(parts[1]);
  if (!claims.has_value()) return failure("invalid bearer token");
  return std::move(*claims);
}

Result<TokenIdentity> ServiceAccountTokens::verify(std::string_view token, const Strings& audiences, Instant now,
                                                   const FindObject& find) const {
  const Result<Value> claims = verified_claims(token);
  if (!claims.has_value()) return tl::unexpected(claims.error());
  Strings meant = read_audiences(*claims);
  if (meant.empty()) meant = own_audiences();
  const Strings wanted = audiences.empty() ? own_audiences() : audiences;
  Strings both = common(meant, wanted);
  if (both.empty()) {
    return failure(fmt::format("token audiences {} is invalid for the target audiences {}", quoted_list(meant),
                               quoted_list(wanted)));
  }
  if (auto checked = check_times(*claims, now); !checked) return tl::unexpected(checked.error());
  Result<User> user = resolve_user(*claims, now, find);
  if (!user.has_value()) return tl::unexpected(user.error());
  return TokenIdentity{std::move(*user), std::move(both)};
}

Value ServiceAccountTokens::discovery(std::string_view server) const {
  return Value(Object{{"issuer", Value(kIssuer), {}},
                      {"jwks_uri", Value(fmt::format("https://{}/openid/v1/jwks", server)), {}},
                      {"response_types_supported", strings_document({"id_token"}), {}},
                      {"subject_types_supported", strings_document({"public"}), {}},
                      {"id_token_signing_alg_values_supported", strings_document({"ES256"}), {}}});
}

Value ServiceAccountTokens::key_set() const {
  const Value key(Object{{"use", Value("sig"), {}},
                         {"kty", Value("EC"), {}},
                         {"kid", Value(key_.id()), {}},
                         {"crv", Value("P-256"), {}},
                         {"alg", Value("ES256"), {}},
                         {"x", Value(encode_base64url(key_.x())), {}},
                         {"y", Value(encode_base64url(key_.y())), {}}});
  return Value(Object{{"keys", Value(document::Array{key}), {}}});
}

}  // namespace loadline::apiserver
