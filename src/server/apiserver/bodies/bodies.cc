#include "server/apiserver/bodies/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/json_fault.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "foundation/document/yaml_fault.h"
#include "objects/schema/custom/custom_object.h"
#include "server/api/conversion_fault.h"
#include "server/api/go_text.h"
#include "server/api/protobuf/protobuf.h"
#include "server/apiserver/http/media_type.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kAccepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
/// Upstream's schemes are called by the line of Go that makes them.
constexpr std::string_view kOptionsScheme = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
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

StatusError unrecognized(const Expected& expected, std::string_view why, std::string_view body) {
  return bad_request(fmt::format("the object provided is unrecognized (must be of type {}): {} ({})",
                                 expected.kind.kind, why, summary(body)));
}

/// `Pod in version "v1" cannot be handled as a Pod: why`.
StatusError cannot_be_handled(const schema::GroupVersionKind& kind, const Expected& expected, std::string_view why) {
  return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind.kind, kind.version,
                                 expected.kind.kind, why));
}

/// `couldn't get version/kind; json parse error: why`.
std::string no_kind(std::string_view why) {
  return fmt::format("couldn't get version/kind; json parse error: {}", why);
}

/// Go reads kind and apiVersion before all else.
std::optional<std::string> kind_fault(const Value& document) {
  if (!document.is_object()) {
    return no_kind(
        fmt::format("json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "
                    "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                    document.type_name()));
  }
  for (const document::Member& member : document.object()) {
    if ((member.key != "kind" && member.key != "apiVersion") || member.value.is_string() || member.value.is_null()) {
      continue;
    }
    return no_kind(fmt::format("json: cannot unmarshal {} into Go struct field .{} of type string",
                               member.value.type_name(), member.key));
  }
  const std::string_view version = document::text_at(document, {"apiVersion"});
  if (std::count(version.begin(), version.end(), '/') > 1) {
    return fmt::format("unexpected GroupVersion string: {}", version);
  }
  return std::nullopt;
}

/// What the serializer makes of a text, or its own words for why it cannot be read.
using Parsed = tl::expected<RawBody, std::string>;

Parsed with_kind_checked(RawBody raw) {
  if (std::optional<std::string> fault = kind_fault(raw.document)) return tl::unexpected(std::move(*fault));
  return raw;
}

Parsed parse_json(std::string_view text, document::EqualKeys equal_keys) {
  document::Reading reading = document::read_json(text, {}, equal_keys);
  RawBody raw;
  std::string fault;
  for (Diagnostic& problem : reading.problems) {
    if (problem.message.starts_with("duplicate field")) {
      raw.duplicates.push_back(std::move(problem));
    } else if (fault.empty()) {
      fault = problem.message;
    }
  }
  if (reading.documents.size() != 1 || !fault.empty()) {
    if (const auto found = document::find_json_fault(text, document::kMaxDepth)) {
      return tl::unexpected(no_kind(found->message));
    }
    if (!fault.empty()) return tl::unexpected(no_kind(fault));
    reading.documents.assign(1, Value(document::Object()));  // `null`, which sets nothing
  }
  raw.document = std::move(reading.documents.front());
  return with_kind_checked(std::move(raw));
}

Parsed parse_yaml(std::string_view text) {
  document::Reading reading = document::read_yaml(text, {}, document::EqualKeys::kLast);
  if (std::optional<std::string> fault = document::find_yaml_fault(text, reading.problems)) {
    return tl::unexpected(std::move(*fault));
  }
  RawBody raw;
  raw.equal_yaml_keys = document::find_equal_yaml_keys(reading.problems);
  raw.document = reading.documents.empty() ? Value(document::Object()) : std::move(reading.documents.front());
  return with_kind_checked(std::move(raw));
}

schema::GroupVersionKind kind_of(const Value& document, const schema::GroupVersionKind& otherwise) {
  schema::GroupVersionKind kind = otherwise;
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
StatusError other_kind(const schema::GroupVersionKind& kind, const Expected& expected) {
  const std::string group = expected.kind.group.empty() ? "core" : std::string(split(expected.kind.group, ".").front());
  return cannot_be_handled(kind, expected,
                           fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", kind.version, kind.kind,
                                       group, expected.kind.kind));
}

StatusError other_version(std::string_view version, const Expected& expected) {
  return bad_request(fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                                 version, expected.kind.api_version()));
}

/// Nothing goes without saying in a custom object: it must name its kind and version.
Answer<void> check_custom_kind(const RawBody& raw, const Expected& expected, std::string_view text) {
  const std::string_view kind = document::text_at(raw.document, {"kind"});
  const std::string_view version = document::text_at(raw.document, {"apiVersion"});
  if (kind.empty()) {
    return refuse(unrecognized(expected, fmt::format("Object 'Kind' is missing in '{}'", text), text));
  }
  if (version != expected.kind.api_version()) return refuse(other_version(version, expected));
  if (kind == expected.kind.kind) return {};
  return refuse(
      invalid({expected.kind.group, expected.kind.version, std::string(kind)},
              document::text_at(raw.document, {"metadata", "name"}),
              {{"kind",
                fmt::format("Invalid value: {}: must be {}", document::write_json(Value(kind)), expected.kind.kind),
                {}}}));
}

Value with_kind(const Value& document, const schema::GroupVersionKind& kind) {
  if (document.find("kind") != nullptr && document.find("apiVersion") != nullptr) return document;
  return document.with("kind", Value(kind.kind)).with("apiVersion", Value(kind.api_version()));
}

const schema::Type& object_meta_of(const schema::Catalog& catalog) {
  const schema::Type* type = catalog.find_type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  REQUIRES(type != nullptr);
  return *type;
}

}  // namespace

Bodies::Bodies(const schema::Catalog& catalog)
    : catalog_(catalog), defaults_(catalog), object_meta_(object_meta_of(catalog)) {}

Expected Bodies::expected(std::string_view group, std::string_view version, std::string_view kind) const {
  schema::GroupVersionKind of{std::string(group), std::string(version), std::string(kind)};
  const schema::Type* type = catalog_.find_type(of);
  return {std::move(of), type};
}

Answer<RawBody> Bodies::from_protobuf(const Body& body, const Expected& expected) const {
  const Result<api::ProtobufEnvelope> envelope = api::read_protobuf_envelope(body.text);
  if (!envelope) return refuse(unrecognized(expected, envelope.error().message, body.text));
  const std::size_t slash = envelope->api_version.find('/');
  schema::GroupVersionKind kind = expected.kind;
  if (!envelope->kind.empty()) {
    kind.group = slash == std::string::npos ? "" : envelope->api_version.substr(0, slash);
    kind.version = slash == std::string::npos ? envelope->api_version : envelope->api_version.substr(slash + 1);
    kind.kind = envelope->kind;
  }
  const schema::Type* type = kind == expected.kind ? expected.type : catalog_.find_type(kind);
  if (type == nullptr) return refuse(unsupported_media_type("application/json, application/yaml"));
  Result<Value> value = api::decode_protobuf(envelope->message, *type, kind.api_version(), kind.kind);
  if (!value) return refuse(cannot_be_handled(kind, expected, value.error().message));
  RawBody raw{std::move(*value)};
  raw.is_protobuf = true;
  return raw;
}

bool Bodies::is_custom(const Expected& expected) const {
  return expected.type == nullptr || catalog_.find_type(expected.kind) == nullptr;
}

Answer<void> Bodies::check_kind(const schema::GroupVersionKind& kind, const Expected& expected) const {
  if (kind == expected.kind) return {};
  if (catalog_.find_type(kind) == nullptr) {
    return refuse(cannot_be_handled(kind, expected,
                                    fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"{}\"",
                                                kind.kind, kind.api_version(), kScheme)));
  }
  if (kind.kind != expected.kind.kind) return refuse(other_kind(kind, expected));
  return refuse(other_version(kind.api_version(), expected));
}

schema::Conformed Bodies::conform(const Value& document, const schema::Type& type, const Diagnostics& duplicates,
                                  const Value* conforming) const {
  if (type.rules != nullptr) return schema::conform_custom(document, *type.rules, object_meta_, duplicates);
  return schema::conform(document, type, duplicates, conforming);
}

Value Bodies::with_defaults(const Value& object, const schema::Resource& resource, Instant now) const {
  return defaults_.set(object, resource, now);
}

Value Bodies::tidied(const Value& object, const Value& before, const schema::Resource& resource, Instant now) const {
  if (resource.type == nullptr) return object;
  const schema::Conformed conformed = conform(object, *resource.type, {}, &before);
  return conformed.error.empty() ? with_defaults(conformed.value, resource, now) : object;
}

Answer<RawBody> Bodies::read(const Body& body, const Expected& expected, const Wrapped& wrapped) const {
  if (body.document != nullptr) {
    if (body.document->is_object()) return RawBody{*body.document};
    return refuse(wrapped("couldn't get version/kind; the document is no object"));
  }
  const BodyFormat format = body_format(body.content_type);
  if (format == BodyFormat::kUnknown) return refuse(unsupported_media_type(kAccepted));
  if (format == BodyFormat::kProtobuf) return from_protobuf(body, expected);
  const bool is_struct = expected.type != nullptr && expected.type->rules == nullptr;
  Parsed parsed = format == BodyFormat::kYaml
                      ? parse_yaml(body.text)
                      : parse_json(body.text, is_struct ? document::EqualKeys::kMerged : document::EqualKeys::kLast);
  if (!parsed) return refuse(wrapped(parsed.error()));
  return std::move(*parsed);
}

Answer<Value> Bodies::decode(const Body& body, const Expected& expected, FieldValidation validation,
                             std::vector<std::string>& warnings) const {
  const Answer<RawBody> raw =
      read(body, expected, [&](std::string_view why) { return unrecognized(expected, why, body.text); });
  if (!raw) return refuse(raw.error());
  if (body.document == nullptr && is_custom(expected)) {
    if (const Answer<void> verdict = check_custom_kind(*raw, expected, body.text); !verdict) {
      return refuse(verdict.error());
    }
  }
  const schema::GroupVersionKind kind = kind_of(raw->document, expected.kind);
  if (const Answer<void> verdict = check_kind(kind, expected); !verdict) return refuse(verdict.error());
  Value document = with_kind(raw->document, expected.kind);
  if (raw->is_protobuf || expected.type == nullptr) return document;
  if (const KeptFields* kept = expected.kept) document = kept->versions.without_kept(std::move(document), kept->old);

  schema::Conformed conformed = conform(document, *expected.type, raw->duplicates, nullptr);
  if (!conformed.error.empty()) return refuse(cannot_be_handled(kind, expected, conformed.error));
  std::vector<std::string>& findings = conformed.findings;
  const std::vector<std::string>& equal_keys = raw->equal_yaml_keys;
  if (validation == FieldValidation::kStrict && !(findings.empty() && equal_keys.empty())) {
    if (!equal_keys.empty()) findings.insert(findings.begin(), document::join_equal_yaml_keys(equal_keys));
    return refuse(cannot_be_handled(kind, expected, "strict decoding error: " + joined(findings, ", ")));
  }
  if (validation == FieldValidation::kWarn) {
    warnings.insert(warnings.end(), equal_keys.begin(), equal_keys.end());
    warnings.insert(warnings.end(), findings.begin(), findings.end());
  }
  if (const KeptFields* kept = expected.kept) return kept->versions.with_kept(std::move(conformed.value), kept->old);
  return conformed.value;
}

Answer<Value> Bodies::conform_patched(const PatchedObject& patched, const schema::Type* type,
                                      FieldValidation validation, std::vector<std::string> strict,
                                      std::vector<std::string>& warnings) const {
  if (type == nullptr) return patched.value;
  const auto refused = [&](const std::string& why) {
    const std::string shown =
        patched.strategic != nullptr ? api::go_text(patched.strategic()) : document::write_json(patched.value);
    return refuse(invalid(
        {}, "", {{"patch", fmt::format("Invalid value: {}: {}", document::write_json(Value(shown)), why), {}}}));
  };
  if (patched.strategic != nullptr) {
    const std::string fault = api::find_conversion_fault(patched.value, *type, patched.before);
    if (!fault.empty()) return refused(fault);
  }
  const KeptFields* kept = patched.kept;
  const Value value = kept == nullptr ? patched.value : kept->versions.without_kept(patched.value, kept->old);
  schema::Conformed conformed = conform(value, *type, {}, patched.before);
  if (!conformed.error.empty()) return refused(conformed.error);
  std::vector<std::string>& findings = conformed.findings;
  if (patched.strategic != nullptr) std::sort(findings.begin(), findings.end());
  strict.insert(strict.end(), findings.begin(), findings.end());
  if (!strict.empty() && validation == FieldValidation::kStrict) {
    return refused("strict decoding error: " + joined(strict, ", "));
  }
  if (validation == FieldValidation::kWarn) warnings.insert(warnings.end(), strict.begin(), strict.end());
  if (kept != nullptr) return kept->versions.with_kept(std::move(conformed.value), kept->old);
  return conformed.value;
}

Answer<DeleteOptions> Bodies::delete_options(const Body& body, const Query& query) const {
  if (body.empty()) return read_delete_options(query);
  const Expected expected = this->expected("", "v1", "DeleteOptions");
  const Answer<RawBody> raw = read(body, expected, [](std::string_view why) { return bad_request(std::string(why)); });
  if (!raw) return refuse(raw.error());
  // Clients name the group that they delete from, whichever it is; upstream does not mind.
  const schema::GroupVersionKind kind = kind_of(raw->document, {"meta.k8s.io", "v1", expected.kind.kind});
  if (kind.kind != expected.kind.kind) {
    return refuse(bad_request(fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"{}\"", kind.kind,
                                          kind.api_version(), kOptionsScheme)));
  }
  if (raw->is_protobuf) return read_delete_options(raw->document);
  const schema::Conformed conformed = conform(raw->document, *expected.type, {}, nullptr);
  if (!conformed.error.empty()) return refuse(bad_request(conformed.error));
  return read_delete_options(conformed.value);
}

}  // namespace loadline::apiserver
