#include "server/apiserver/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

StatusError about(int code, std::string_view reason, const GroupResource& resource, std::string_view name,
                  std::string message) {
  StatusError failure;
  failure.code = code;
  failure.reason = reason;
  failure.message = std::move(message);
  failure.has_details = true;
  failure.name = name;
  failure.group = resource.group;
  failure.kind = resource.resource;
  return failure;
}

StatusError plain(int code, std::string_view reason, std::string message, bool has_details = false) {
  StatusError failure;
  failure.code = code;
  failure.reason = reason;
  failure.message = std::move(message);
  failure.has_details = has_details;
  return failure;
}

void add(Object& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object.push_back({std::string(key), Value(text), {}});
}

Value causes_document(const std::vector<Cause>& causes) {
  document::Array array;
  for (const Cause& cause : causes) {
    Object object;
    add(object, "reason", cause.reason);
    add(object, "message", cause.message);
    add(object, "field", cause.field);
    array.emplace_back(std::move(object));
  }
  return Value(std::move(array));
}

Object head(std::string_view status) {
  return {{"kind", Value("Status"), {}},
          {"apiVersion", Value("v1"), {}},
          {"metadata", Value(Object()), {}},
          {"status", Value(status), {}}};
}

/// "pods" and "a", as most messages begin.
std::string quoted_name(const GroupResource& resource, std::string_view name) {
  return fmt::format("{} \"{}\"", resource.text(), name);
}

}  // namespace

Value StatusError::document() const {
  Object object = head("Failure");
  if (!continue_token.empty()) object[2].value = Value(Object{{"continue", Value(continue_token), {}}});
  add(object, "message", message);
  add(object, "reason", reason);
  if (has_details) {
    Object details;
    add(details, "name", name);
    add(details, "group", group);
    add(details, "kind", kind);
    add(details, "uid", uid);
    if (!causes.empty()) details.push_back({"causes", causes_document(causes), {}});
    if (retry_after_seconds != 0) {
      details.push_back({"retryAfterSeconds", Value(std::int64_t{retry_after_seconds}), {}});
    }
    object.push_back({"details", Value(std::move(details)), {}});
  }
  object.push_back({"code", Value(std::int64_t{code}), {}});
  return Value(std::move(object));
}

StatusError not_found(const GroupResource& resource, std::string_view name) {
  return about(404, "NotFound", resource, name, quoted_name(resource, name) + " not found");
}

StatusError already_exists(const GroupResource& resource, std::string_view name) {
  return about(409, "AlreadyExists", resource, name, quoted_name(resource, name) + " already exists");
}

StatusError conflict(const GroupResource& resource, std::string_view name, std::string_view why) {
  return about(409, "Conflict", resource, name,
               fmt::format("Operation cannot be fulfilled on {}: {}", quoted_name(resource, name), why));
}

StatusError modified(const GroupResource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

StatusError forbidden(const GroupResource& resource, std::string_view name, std::string_view why) {
  const std::string subject = name.empty() ? resource.text() : quoted_name(resource, name);
  return about(403, "Forbidden", resource, name, fmt::format("{} is forbidden: {}", subject, why));
}

StatusError bad_request(std::string message) { return plain(400, "BadRequest", std::move(message)); }

/// Of a body with a hundred thousand mistakes, so many are told.
constexpr std::size_t kMostErrors = 1000;

StatusError invalid(const schema::GroupVersionKind& kind, std::string_view name, const kube::FieldErrors& errors) {
  const std::string group_kind = kind.group.empty() ? kind.kind : kind.kind + "." + kind.group;
  StatusError failure = about(422, "Invalid", {kind.group, kind.kind}, name, {});
  // The message names each error once, however often a rule found it; the causes list them all.
  std::vector<std::string> texts;
  std::unordered_set<std::string> known;
  const std::size_t told = std::min(errors.size(), kMostErrors);
  for (const kube::FieldError& error : std::span(errors).first(told)) {
    failure.causes.push_back({std::string(cause_reason(error.message)), error.message, error.path});
    std::string text = error.path + ": " + error.message;
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  if (told < errors.size()) texts.push_back(fmt::format("and {} errors more", errors.size() - told));
  std::string list = fmt::format("{}", fmt::join(texts, ", "));
  if (texts.size() > 1) list = "[" + list + "]";
  failure.message = fmt::format("{} \"{}\" is invalid: {}", group_kind, name, list);
  return failure;
}

StatusError method_not_allowed() {
  return plain(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", true);
}

StatusError no_such_resource() {
  return plain(404, "NotFound", "the server could not find the requested resource", true);
}

StatusError not_acceptable(std::string_view available) {
  return plain(406, "NotAcceptable", fmt::format("406: Not Acceptable\n\nAvailable representations: {}", available),
               true);
}

StatusError no_such_form(std::string_view accepted) {
  return plain(406, "NotAcceptable", fmt::format("only the following media types are accepted: {}", accepted));
}

StatusError unsupported_media_type(std::string_view accepted) {
  return plain(
      415, "UnsupportedMediaType",
      fmt::format("the body of the request was in an unknown format - accepted media types include: {}", accepted));
}

StatusError unauthorized() { return plain(401, "Unauthorized", "Unauthorized"); }

StatusError expired(std::string message) { return plain(410, "Expired", std::move(message)); }

StatusError timeout(std::string_view message, std::int32_t retry_after_seconds) {
  StatusError failure = plain(504, "Timeout", fmt::format("Timeout: {}", message), true);
  failure.retry_after_seconds = retry_after_seconds;
  return failure;
}

StatusError too_many_requests(std::string message, std::int32_t retry_after_seconds) {
  StatusError failure = plain(429, "TooManyRequests", std::move(message), true);
  failure.retry_after_seconds = retry_after_seconds;
  return failure;
}

StatusError internal_error(std::string_view message) {
  StatusError failure = plain(500, "InternalError", fmt::format("Internal error occurred: {}", message), true);
  failure.causes.push_back({{}, std::string(message), {}});
  return failure;
}

StatusError unavailable(std::string message) {
  StatusError failure = plain(503, "ServiceUnavailable", std::move(message), true);
  failure.retry_after_seconds = 1;
  return failure;
}

StatusError plain_error(std::string message) { return plain(500, {}, std::move(message)); }

Value success(const GroupResource& resource, std::string_view name, std::string_view uid) {
  Object object = head("Success");
  Object details;
  add(details, "name", name);
  add(details, "group", resource.group);
  add(details, "kind", resource.resource);
  add(details, "uid", uid);
  object.push_back({"details", Value(std::move(details)), {}});
  return Value(std::move(object));
}

Value success(int code) {
  Object object = head("Success");
  object.push_back({"code", Value(std::int64_t{code}), {}});
  return Value(std::move(object));
}

std::string_view cause_reason(std::string_view message) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kReasons = {{
      {"Required value", "FieldValueRequired"},
      {"Unsupported value", "FieldValueNotSupported"},
      {"Forbidden", "FieldValueForbidden"},
      {"Duplicate value", "FieldValueDuplicate"},
      {"Not found", "FieldValueNotFound"},
      {"Too long", "FieldValueTooLong"},
      {"Too many", "FieldValueTooMany"},
      {"Internal error", "InternalError"},
  }};
  for (const auto& [words, reason] : kReasons) {
    if (message.starts_with(words)) return reason;
  }
  // Of schemas of custom resources: apimachinery's field.TypeInvalid.
  if (message.find(" in body must be of type ") != std::string_view::npos) return "FieldValueTypeInvalid";
  return "FieldValueInvalid";
}

}  // namespace loadline::apiserver
