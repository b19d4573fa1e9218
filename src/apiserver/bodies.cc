#include "apiserver/bodies.h"

#include <fmt/format.h>

#include <utility>

#include "api/custom_object.h"
#include "api/protobuf.h"
#include "apiserver/media_type.h"
#include "base/text.h"
#include "document/at.h"
#include "document/json_fault.h"
#include "document/reader.h"
#include "document/writer.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::size_t kMaxDepth = 1000;
constexpr std::string_view kAccepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kScheme = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30";

/// What upstream shows of a body that it cannot read.
std::string summary(std::string_view body) {
  constexpr std::size_t kMost = 30;
  if (body.empty()) return "<empty>";
  const std::string_view shown = body.substr(0, kMost);
  std::string text;
  if (body.front() == '{') {
    text = shown;
  } else {
    for (const char byte : shown) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return body.size() > kMost ? text + " ..." : text;
}

Failure unrecognized(const Expected& expected, std::string_view why, std::string_view body) {
  return bad_request(fmt::format("the object provided is unrecognized (must be of type {}): {} ({})",
                                 expected.kind.kind, why, summary(body)));
}

/// `Pod in version "v1" cannot be handled as a Pod: why`.
Failure cannot_be_handled(const api::GroupVersionKind& kind, const Expected& expected, std::string_view why) {
  return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind.kind, kind.version,
                                 expected.kind.kind, why));
}

bool is_duplicate(const Diagnostic& problem) { return problem.message.find("duplicate") != std::string::npos; }

Answer<RawBody> parsed(document::Reading reading, std::string_view body, const Expected& expected, bool is_json) {
  RawBody raw;
  std::string fault;
  for (Diagnostic& problem : reading.problems) {
    if (is_duplicate(problem)) {
      raw.duplicates.push_back(std::move(problem));
    } else if (fault.empty()) {
      fault = problem.message;
    }
  }
  if (reading.documents.empty() || !fault.empty()) {
    if (is_json) {
      if (const auto found = document::find_json_fault(body, kMaxDepth)) fault = found->message;
      fault = "json parse error: " + (fault.empty() ? std::string("unexpected end of JSON input") : fault);
    }
    return refuse(unrecognized(expected, "couldn't get version/kind; " + fault, body));
  }
  raw.document = reading.documents.front();
  if (!raw.document.is_object()) {
    return refuse(unrecognized(expected,
                               fmt::format("couldn't get version/kind; json parse error: json: cannot unmarshal {} "
                                           "into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,"
                                           "omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                                           raw.document.type_name()),
                               body));
  }
  return raw;
}

api::GroupVersionKind kind_of(const Value& document, const api::GroupVersionKind& otherwise) {
  api::GroupVersionKind kind = otherwise;
  const std::string_view name = document::text_at(document, {"kind"});
  const std::string_view version = document::text_at(document, {"apiVersion"});
  if (!name.empty()) kind.kind = name;
  if (!version.empty()) {
    const std::size_t slash = version.find('/');
    kind.group = slash == std::string_view::npos ? "" : std::string(version.substr(0, slash));
    kind.version = slash == std::string_view::npos ? std::string(version) : std::string(version.substr(slash + 1));
  }
  return kind;
}

/// "v1.Deployment" to "core.Pod", as Go's types are called.
Failure other_kind(const api::GroupVersionKind& kind, const Expected& expected) {
  const std::string group = expected.kind.group.empty() ? "core" : std::string(split(expected.kind.group, ".").front());
  return cannot_be_handled(kind, expected,
                           fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", kind.version, kind.kind,
                                       group, expected.kind.kind));
}

Value with_kind(const Value& document, const api::GroupVersionKind& kind) {
  if (document.find("kind") != nullptr && document.find("apiVersion") != nullptr) return document;
  return document.with("kind", Value(kind.kind)).with("apiVersion", Value(kind.api_version()));
}

}  // namespace

Bodies::Bodies(const api::Catalog& catalog)
    : catalog_(catalog),
      defaults_(catalog),
      object_meta_(*catalog.find_type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")) {}

Expected Bodies::expected(std::string_view group, std::string_view version, std::string_view kind) const {
  api::GroupVersionKind of{std::string(group), std::string(version), std::string(kind)};
  const api::Type* type = catalog_.find_type(of);
  return {std::move(of), type};
}

Answer<RawBody> Bodies::from_protobuf(const Body& body, const Expected& expected) const {
  const Result<api::ProtobufEnvelope> envelope = api::read_protobuf_envelope(body.text);
  if (!envelope) return refuse(unrecognized(expected, envelope.error().message, body.text));
  const std::size_t slash = envelope->api_version.find('/');
  api::GroupVersionKind kind = expected.kind;
  if (!envelope->kind.empty()) {
    kind.group = slash == std::string::npos ? "" : envelope->api_version.substr(0, slash);
    kind.version = slash == std::string::npos ? envelope->api_version : envelope->api_version.substr(slash + 1);
    kind.kind = envelope->kind;
  }
  const api::Type* type = kind == expected.kind ? expected.type : catalog_.find_type(kind);
  if (type == nullptr) return refuse(unsupported_media_type("application/json, application/yaml"));
  Result<Value> value = api::decode_protobuf(envelope->message, *type, kind.api_version(), kind.kind);
  if (!value) return refuse(cannot_be_handled(kind, expected, value.error().message));
  return RawBody{std::move(*value), {}, true};
}

Answer<void> Bodies::check_kind(const api::GroupVersionKind& kind, const Expected& expected) const {
  if (kind == expected.kind) return {};
  if (catalog_.find_type(expected.kind) == nullptr) {  // a custom kind
    return refuse(
        bad_request(fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                                kind.api_version(), expected.kind.api_version())));
  }
  if (catalog_.find_type(kind) == nullptr) {
    return refuse(cannot_be_handled(kind, expected,
                                    fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"{}\"",
                                                kind.kind, kind.api_version(), kScheme)));
  }
  if (kind.kind != expected.kind.kind) return refuse(other_kind(kind, expected));
  return refuse(bad_request(fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                                        kind.api_version(), expected.kind.api_version())));
}

api::Conformed Bodies::conform(const Value& document, const api::Type& type, const Diagnostics& duplicates) const {
  if (type.rules != nullptr) return api::conform_custom(document, *type.rules, object_meta_, duplicates);
  return api::conform(document, type, duplicates);
}

Value Bodies::with_defaults(const Value& object, const api::Resource& resource, Instant now) const {
  return defaults_.set(object, resource, now);
}

Answer<RawBody> Bodies::read(const Body& body, const Expected& expected) const {
  if (body.document != nullptr) {
    if (body.document->is_object()) return RawBody{*body.document, {}, false};
    return refuse(unrecognized(expected, "couldn't get version/kind; the document is no object", {}));
  }
  switch (body_format(body.content_type)) {
    case BodyFormat::kJson:
      return parsed(document::read_json(body.text, {}), body.text, expected, true);
    case BodyFormat::kYaml:
      return parsed(document::read_yaml(body.text, {}), body.text, expected, false);
    case BodyFormat::kProtobuf:
      return from_protobuf(body, expected);
    case BodyFormat::kUnknown:
      break;
  }
  return refuse(unsupported_media_type(kAccepted));
}

Answer<Value> Bodies::decode(const Body& body, const Expected& expected, FieldValidation validation,
                             std::vector<std::string>& warnings) const {
  Answer<RawBody> raw = read(body, expected);
  if (!raw) return refuse(raw.error());
  const api::GroupVersionKind kind = kind_of(raw->document, expected.kind);
  if (const Answer<void> verdict = check_kind(kind, expected); !verdict) return refuse(verdict.error());
  const Value document = with_kind(raw->document, expected.kind);
  if (raw->is_protobuf || expected.type == nullptr) return document;

  api::Conformed conformed = conform(document, *expected.type, raw->duplicates);
  if (!conformed.error.empty()) return refuse(cannot_be_handled(kind, expected, conformed.error));
  if (!conformed.findings.empty() && validation == FieldValidation::kStrict) {
    return refuse(cannot_be_handled(kind, expected, "strict decoding error: " + joined(conformed.findings, ", ")));
  }
  if (validation == FieldValidation::kWarn) {
    warnings.insert(warnings.end(), conformed.findings.begin(), conformed.findings.end());
  }
  return conformed.value;
}

Answer<Value> Bodies::conform_patched(const Value& patched, const api::Type* type, FieldValidation validation,
                                      std::vector<std::string> strict, std::vector<std::string>& warnings) const {
  if (type == nullptr) return patched;
  api::Conformed conformed = conform(patched, *type, {});
  const auto refused = [&](const std::string& why) {
    return refuse(
        invalid({}, "",
                {{"patch",
                  fmt::format("Invalid value: {}: {}", document::write_json(Value(document::write_json(patched))), why),
                  {}}}));
  };
  if (!conformed.error.empty()) return refused(conformed.error);
  strict.insert(strict.end(), conformed.findings.begin(), conformed.findings.end());
  if (!strict.empty() && validation == FieldValidation::kStrict) {
    return refused("strict decoding error: " + joined(strict, ", "));
  }
  if (validation == FieldValidation::kWarn) warnings.insert(warnings.end(), strict.begin(), strict.end());
  return conformed.value;
}

Answer<DeleteOptions> Bodies::delete_options(const Body& body, const Query& query) const {
  if (body.empty()) return read_delete_options(query);
  const Answer<RawBody> raw = read(body, expected("", "v1", "DeleteOptions"));
  if (!raw) return refuse(raw.error());
  return read_delete_options(raw->document);
}

}  // namespace loadline::apiserver
