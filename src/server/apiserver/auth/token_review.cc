#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "objects/kube/decoder.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/auth/policy_rule.h"
#include "server/apiserver/auth/reviews.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;
constexpr std::int64_t kDefaultSeconds = 3600;
constexpr std::int64_t kLeastSeconds = 600;
constexpr std::int64_t kMostSeconds = std::int64_t{1} << 32;
/// What kubelets ask for on behalf of pods. Such a token is good for a year, so that clients that never read it again
/// go on working; what they asked for is the time to warn after.
constexpr std::int64_t kWarnedSeconds = 3607;
constexpr std::int64_t kExtendedSeconds = std::int64_t{365} * 24 * 3600;

std::string_view text_in(const Value* object, std::string_view key) {
  return object == nullptr ? std::string_view() : text_of(*object, key);
}

Value user_document(const User& user) {
  Object object;
  if (!user.name.empty()) object.push_back({"username", Value(user.name), {}});
  if (!user.uid.empty()) object.push_back({"uid", Value(user.uid), {}});
  if (!user.groups.empty()) object.push_back({"groups", strings_document(user.groups), {}});
  if (!user.extra.empty()) {
    Object extra;
    for (const auto& [key, values] : user.extra) extra.push_back({key, strings_document(values), {}});
    object.push_back({"extra", Value(std::move(extra)), {}});
  }
  return Value(std::move(object));
}

StatusError invalid_request(std::string_view name, const kube::FieldErrors& errors) {
  return invalid({std::string(kAuthenticationGroup), "v1", "TokenRequest"}, name, errors);
}

std::optional<StatusError> check_names(const Value* metadata, std::string_view name_space, std::string_view name) {
  const std::string_view named = text_in(metadata, "namespace");
  if (!named.empty() && named != name_space) {
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
  }
  const std::string_view own_name = text_in(metadata, "name");
  if (own_name.empty() || own_name == name) return std::nullopt;
  return invalid_request(
      name,
      {{"metadata.name",
        fmt::format("Invalid value: {}: must match the service account name if specified", kube::quoted(own_name)),
        {}}});
}

std::optional<StatusError> check_seconds(std::int64_t seconds) {
  const auto refused = [&](std::string_view why) {
    return invalid_request({}, {{"spec.expirationSeconds", fmt::format("Invalid value: {}: {}", seconds, why), {}}});
  };
  if (seconds < kLeastSeconds) return refused("may not specify a duration less than 10 minutes");
  if (seconds > kMostSeconds) return refused("may not specify a duration larger than 2^32 seconds");
  return std::nullopt;
}

TokenReference reference_to(const Value& object) {
  const Value* metadata = object.find("metadata");
  return {std::string(text_in(metadata, "name")), std::string(text_in(metadata, "uid"))};
}

/// A pod's token also tells the node, without its uid if the node is not there.
std::optional<TokenReference> node_of(const Value& pod, const FindObject& find) {
  const std::string_view node = text_in(pod.find("spec"), "nodeName");
  if (node.empty()) return std::nullopt;
  const auto object = find("nodes", {}, node);
  return object.has_value() ? reference_to(*object) : TokenReference{std::string(node), {}};
}

std::string group_version_kind(std::string_view api_version, std::string_view kind) {
  const bool has_group = api_version.find('/') != std::string_view::npos;
  return fmt::format("{}{}, Kind={}", has_group ? "" : "/", api_version, kind);
}

/// Puts the object that the token is to be bound to among the claims.
std::optional<StatusError> bind(const Value& reference, const FindObject& find, TokenClaims& claims) {
  const std::string_view kind = text_of(reference, "kind");
  const std::string_view api_version = text_of(reference, "apiVersion");
  const std::string_view name = text_of(reference, "name");
  const bool is_core = api_version.find('/') == std::string_view::npos;
  if (!is_core || (kind != "Pod" && kind != "Node" && kind != "Secret")) {
    return bad_request("cannot bind token to object of type " + group_version_kind(api_version, kind));
  }
  const std::string_view resource = kind == "Pod" ? "pods" : kind == "Node" ? "nodes" : "secrets";
  const auto object = find(resource, kind == "Node" ? std::string_view() : claims.name_space, name);
  if (!object.has_value()) return not_found({{}, std::string(resource)}, name);
  const TokenReference bound = reference_to(*object);
  if (kind == "Pod") {
    if (text_in(object->find("spec"), "serviceAccountName") != claims.service_account.name) {
      return bad_request(
          fmt::format("cannot bind token for serviceaccount {} to pod running with different serviceaccount name.",
                      kube::quoted(claims.service_account.name)));
    }
    claims.pod = bound;
    claims.node = node_of(*object, find);
  } else if (kind == "Node") {
    claims.node = bound;
  } else {
    claims.secret = bound;
  }
  const std::string_view uid = text_of(reference, "uid");
  if (uid.empty() || uid == bound.uid) return std::nullopt;
  return conflict({{}, std::string(kind)}, name,
                  fmt::format("the UID in the bound object reference ({}) does not match the UID in record. The object "
                              "might have been deleted and then recreated",
                              uid));
}

/// Nothing: the default.
std::int64_t requested_seconds(const Value* spec) {
  const Value* seconds = spec == nullptr ? nullptr : spec->find("expirationSeconds");
  return seconds != nullptr && seconds->is_integer() ? seconds->integer() : kDefaultSeconds;
}

Value answered(const Value& request, const Value& metadata, const TokenClaims& claims, std::int64_t seconds,
               std::string token, Instant now) {
  const Value* spec = request.find("spec");
  const Value* bound = spec == nullptr ? nullptr : spec->find("boundObjectRef");
  const Value spec_out(Object{{"audiences", strings_document(claims.audiences), {}},
                              {"expirationSeconds", Value(seconds), {}},
                              {"boundObjectRef", bound == nullptr ? Value() : *bound, {}}});
  const Value status(Object{{"token", Value(std::move(token)), {}},
                            {"expirationTimestamp", Value(format_rfc3339(now + Duration::seconds(seconds))), {}}});
  return request.with("metadata", metadata).with("spec", spec_out).with("status", status);
}

}  // namespace

Value review_self_subject(const User& user, const Value& review, Instant now) {
  const std::string_view version = text_of(review, "apiVersion");
  return Value(Object{{"kind", Value("SelfSubjectReview"), {}},
                      {"apiVersion", Value(version.empty() ? "authentication.k8s.io/v1" : version), {}},
                      {"metadata", Value(Object{{"creationTimestamp", Value(format_rfc3339(now)), {}}}), {}},
                      {"status", Value(Object{{"userInfo", user_document(user), {}}}), {}}});
}

Answer<Value> review_token(const Authenticator& authenticator, const Value& review, Instant now) {
  const Value* spec = review.find("spec");
  const std::string_view token = text_in(spec, "token");
  if (token.empty()) return refuse(bad_request("token is required for TokenReview in authentication"));
  const auto identity = authenticator.verify_token(token, strings_of(spec->find("audiences")), now);
  if (!identity.has_value()) {
    return review.with("status",
                       Value(Object{{"user", Value(Object()), {}}, {"error", Value(identity.error().message), {}}}));
  }
  return review.with("status", Value(Object{{"authenticated", Value(true), {}},
                                            {"user", user_document(identity->user), {}},
                                            {"audiences", strings_document(identity->audiences), {}}}));
}

Answer<Value> request_token(const ServiceAccountTokens& tokens, const FindObject& find, std::string_view name_space,
                            std::string_view name, const Value& request, Instant now) {
  const Value* metadata = request.find("metadata");
  if (auto refusal = check_names(metadata, name_space, name)) return refuse(std::move(*refusal));
  const auto account = find("serviceaccounts", name_space, name);
  if (!account.has_value()) return refuse(not_found({{}, "serviceaccounts"}, name));

  TokenClaims claims;
  claims.name_space = name_space;
  claims.service_account = reference_to(*account);
  const std::string_view uid = text_in(metadata, "uid");
  if (!uid.empty() && uid != claims.service_account.uid) {
    return refuse(
        conflict({std::string(kAuthenticationGroup), "TokenRequest"}, name,
                 fmt::format("the UID in the token request ({}) does not match the UID of the service account ({})",
                             uid, claims.service_account.uid)));
  }
  const Value* spec = request.find("spec");
  claims.audiences = spec == nullptr ? std::vector<std::string>() : strings_of(spec->find("audiences"));
  if (claims.audiences.empty()) claims.audiences = tokens.own_audiences();
  const std::int64_t seconds = requested_seconds(spec);
  if (auto refusal = check_seconds(seconds)) return refuse(std::move(*refusal));
  const Value* bound = spec == nullptr ? nullptr : spec->find("boundObjectRef");
  if (bound != nullptr && bound->is_object()) {
    if (auto refusal = bind(*bound, find, claims)) return refuse(std::move(*refusal));
  }

  claims.lifetime = Duration::seconds(seconds);
  const std::vector<std::string> own = tokens.own_audiences();
  const bool is_for_us = std::all_of(claims.audiences.begin(), claims.audiences.end(), [&](const std::string& each) {
    return std::find(own.begin(), own.end(), each) != own.end();
  });
  if (claims.pod.has_value() && seconds == kWarnedSeconds && is_for_us) {
    claims.warn_after = claims.lifetime;
    claims.lifetime = Duration::seconds(kExtendedSeconds);
  }
  const Value base = metadata == nullptr ? Value() : *metadata;
  const Value filled = base.with("name", Value(name))
                           .with("namespace", Value(name_space))
                           .with("uid", Value(claims.service_account.uid))
                           .with("creationTimestamp", Value(format_rfc3339(now)));
  return answered(request, filled, claims, seconds, tokens.issue(claims, now), now);
}

}  // namespace loadline::apiserver
