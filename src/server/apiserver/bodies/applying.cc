#include "server/apiserver/bodies/applying.h"

#include <fmt/format.h>

#include <optional>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/yaml_fault.h"
#include "server/api/apply/apply.h"
#include "server/api/conversion_fault.h"
#include "server/apiserver/bodies/field_managers.h"
#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/subresource.h"

namespace loadline::apiserver {
namespace {

using document::Value;

StatusError from_apply_error(const api::ApplyError& error) {
  using Kind = api::ApplyError::Kind;
  if (error.kind == Kind::kBadRequest) return bad_request(error.message);
  if (error.kind == Kind::kInternal) return plain_error(error.message);
  StatusError failure;
  failure.code = 409;
  failure.reason = "Conflict";
  failure.message = error.message;
  failure.has_details = true;
  for (const api::ApplyError::Cause& cause : error.causes) {
    failure.causes.push_back({"FieldManagerConflict", cause.message, cause.field});
  }
  return failure;
}

/// The configuration in the body: YAML, of which JSON is a part.
Answer<Value> read_yaml(const Body& body, FieldValidation validation, std::vector<std::string>& warnings) {
  document::Reading reading = document::read_yaml(body.text, {}, document::EqualKeys::kLast);
  if (const auto fault = document::find_yaml_fault(body.text, reading.problems)) {
    return refuse(bad_request(fmt::format("error decoding YAML: error converting YAML to JSON: {}", *fault)));
  }
  const std::vector<std::string> equal_keys = document::find_equal_yaml_keys(reading.problems);
  if (!equal_keys.empty() && validation == FieldValidation::kStrict) {
    return refuse(bad_request(fmt::format("error strict decoding YAML: error converting YAML to JSON: {}",
                                          document::join_equal_yaml_keys(equal_keys))));
  }
  if (validation == FieldValidation::kWarn) warnings.insert(warnings.end(), equal_keys.begin(), equal_keys.end());
  return reading.documents.empty() ? Value(document::Object()) : std::move(reading.documents.front());
}

Answer<Value> read_configuration(const Body& body, const Call& call, FieldValidation validation,
                                 std::vector<std::string>& warnings) {
  Answer<Value> configuration = body.document != nullptr ? *body.document : read_yaml(body, validation, warnings);
  if (!configuration) return configuration;
  if (!configuration->is_object()) {
    return refuse(
        bad_request(fmt::format("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot "
                                "unmarshal {} into Go value of type map[string]interface {{}}",
                                configuration->type_name())));
  }
  const std::string_view name = name_of(*configuration);
  if (!name.empty() && name != call.name) {
    return refuse(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, call.name)));
  }
  return configuration;
}

/// An apply that names a uid is about that one object, and creates no other.
StatusError no_such_uid(const Call& call, std::string_view uid) {
  return conflict(
      call.group_resource(), call.name,
      fmt::format("uid mismatch: the provided object specified uid {}, and no existing object was found", uid));
}

/// What an apply leads to, conformed and defaulted, in the version that objects are kept in.
class Application {
 public:
  Application(ServerContext& context, Call& call, const WriteOptions& options, Value configuration)
      : context_(context), call_(call), options_(options), configuration_(std::move(configuration)) {}

  Answer<Value> to(const Value& live) const {
    const schema::Resource& resource = call_.resource();
    // What only other versions have is no field of this one, so it cannot be applied here.
    const OtherVersions* versions = call_.served->other_versions.get();
    const Value converted = convert(live, resource.kind);
    const auto applied = api::apply(versions == nullptr ? converted : versions->without_kept(converted, live),
                                    configuration_, manager_of(call_, options_), options_.force, resource.kind,
                                    field_management(call_, context_.loop.now()));
    if (!applied) return refuse(from_apply_error(applied.error()));
    if (const std::string fault = conversion_fault(*applied); !fault.empty()) return refuse(plain_error(fault));
    PatchedObject patched{*applied};
    std::optional<KeptFields> kept;
    if (versions != nullptr) patched.kept = &kept.emplace(*versions, live);
    Answer<Value> conformed =
        context_.bodies.conform_patched(patched, resource.type, options_.validation, {}, call_.warnings);
    if (!conformed) return conformed;
    Value placed = with_metadata(*conformed, "name", Value(call_.name));
    if (resource.is_namespaced) placed = with_metadata(placed, "namespace", Value(call_.name_space));
    return convert(context_.bodies.with_defaults(placed, resource, context_.loop.now()), call_.served->stored->kind);
  }

 private:
  /// Why what was applied is no object of Go's; empty: it is one. Custom objects are not held against Go's types.
  [[nodiscard]] std::string conversion_fault(const Value& applied) const {
    const schema::Resource& resource = call_.resource();
    if (resource.is_custom || resource.type == nullptr) return {};
    const std::string fault = api::find_conversion_fault(applied, *resource.type);
    if (fault.empty()) return {};
    const std::string kind =
        fmt::format("{}/{}, Kind={}", resource.kind.group, resource.kind.version, resource.kind.kind);
    return fmt::format(
        "failed to convert new object ({}/{}; {}) to proper version: unable to convert unstructured object to {}: {}",
        namespace_of(configuration_), name_of(configuration_), kind, kind, fault);
  }

  ServerContext& context_;
  Call& call_;
  const WriteOptions& options_;
  Value configuration_;
};

}  // namespace

Answer<Written> apply_patch(ServerContext& context, Call& call, const Body& body, const WriteOptions& options) {
  Answer<Value> configuration = read_configuration(body, call, options.validation, call.warnings);
  if (!configuration) return refuse(configuration.error());
  const Application application(context, call, options, std::move(*configuration));
  if (context.store.get(call.key(call.name)) == nullptr) {
    if (!call.subresource.empty()) return refuse(not_found(call.group_resource(), call.name));
    Answer<Value> object = application.to(blank_object(*call.served));
    if (!object) return refuse(object.error());
    if (const std::string_view uid = uid_of(*object); !uid.empty()) return refuse(no_such_uid(call, uid));
    return context.writer.create(call, std::move(*object), options, Writer::Managed::kAlready);
  }
  const Writer::Target target = call.subresource.empty()       ? Writer::Target::kObject
                                : call.subresource == "status" ? Writer::Target::kStatus
                                                               : Writer::Target::kOther;
  return context.writer.change(
      call,
      [&](const Value& old) -> Answer<Value> {
        Answer<Value> applied = application.to(old);
        return applied ? narrowed(context, call, std::move(*applied), old) : applied;
      },
      target, options, Writer::Managed::kAlready);
}

}  // namespace loadline::apiserver
