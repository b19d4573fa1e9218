#include "server/apiserver/bodies/patching.h"

#include <fmt/format.h>

#include "foundation/base/contract.h"
#include "foundation/document/json_fault.h"
#include "foundation/document/json_patch.h"
#include "foundation/document/merge_patch.h"
#include "foundation/document/reader.h"
#include "server/api/patch/strategic_merge.h"
#include "server/apiserver/http/media_type.h"

namespace loadline::apiserver {
namespace {

using document::Value;

StatusError from_patch_error(const document::PatchError& error) {
  using Kind = document::PatchError::Kind;
  switch (error.kind) {
    case Kind::kMalformed:
      return bad_request(error.message);
    case Kind::kTooLarge: {
      StatusError failure;
      failure.code = 413;
      failure.reason = "RequestEntityTooLarge";
      failure.message = "Request entity is too large: " + error.message;
      return failure;
    }
    case Kind::kDoesNotApply: {
      StatusError failure;
      failure.code = 422;
      failure.reason = "Invalid";
      failure.message = document::PatchError::kRejected;
      failure.has_details = true;
      return failure;
    }
    case Kind::kCannotProcess:
      break;
  }
  StatusError failure;
  failure.message = error.message;
  return failure;
}

Value without_nulls(const Value& value) {
  if (value.is_array()) {
    document::Array elements;
    for (const Value& element : value.array()) elements.push_back(without_nulls(element));
    return Value(std::move(elements));
  }
  if (!value.is_object()) return value;
  document::Object members;
  for (const document::Member& member : value.object()) {
    if (!member.value.is_null()) members.push_back({member.key, without_nulls(member.value), {}});
  }
  return Value(std::move(members));
}

/// What a strategic patch looks like once it was merged: upstream takes the nulls out of what finds nothing of its
/// kind.
Value after_merge(const Value& original, const Value& patch) {
  if (!patch.is_object()) return patch;
  document::Object members;
  for (const document::Member& member : patch.object()) {
    const Value* there = original.is_object() ? original.find(member.key) : nullptr;
    const bool meets_its_kind = there != nullptr && there->type_name() == member.value.type_name();
    members.push_back(
        {member.key, meets_its_kind ? after_merge(*there, member.value) : without_nulls(member.value), {}});
  }
  return Value(std::move(members));
}

/// `error decoding patch: ` and what Go's decoder says.
StatusError undecodable(std::string_view body, const document::Reading& reading) {
  std::string why;
  if (const auto fault = document::find_json_fault(body, document::kMaxDepth)) {
    why = fault->message;
  } else if (!reading.problems.empty()) {
    why = reading.problems.front().message;
  } else {
    why = "unexpected end of JSON input";
  }
  return bad_request("error decoding patch: " + why);
}

void warn_of_removals(const OtherVersions& versions, const Value& patched, const Value& before,
                      std::vector<std::string>& warnings) {
  std::vector<std::string> removed;
  static_cast<void>(versions.with_kept(patched, before, &removed));
  for (const std::string& field : removed) {
    warnings.push_back(fmt::format("{} stays: this version has no such field, so remove it through that one", field));
  }
}

}  // namespace

Answer<PatchType> patch_type(const Body& body, const schema::Resource& resource) {
  const std::string type = media_type(body.content_type);
  if (type == "application/json-patch+json") return PatchType::kJson;
  if (type == "application/merge-patch+json") return PatchType::kMerge;
  if (type == "application/apply-patch+yaml") return PatchType::kApply;
  if (type == "application/strategic-merge-patch+json") {
    if (!resource.is_custom) return PatchType::kStrategic;
    return refuse(unsupported_media_type(
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  StatusError failure = unsupported_media_type({});
  failure.message = "415: Unsupported Media Type";
  failure.has_details = true;
  return refuse(failure);
}

Answer<Patch> Patch::read(const Body& body, PatchType type) {
  REQUIRES(type != PatchType::kApply);
  Patch patch;
  patch.type_ = type;
  if (body.document != nullptr) {
    patch.document_ = *body.document;
    return patch;
  }
  document::Reading reading = document::read_json(body.text, {}, document::EqualKeys::kLast);
  bool is_broken = reading.documents.size() != 1;
  for (const Diagnostic& problem : reading.problems) {
    if (problem.message.starts_with("duplicate field")) {
      patch.duplicates_.push_back(problem.message);
    } else {
      is_broken = true;
    }
  }
  if (is_broken) return refuse(undecodable(body.text, reading));
  patch.document_ = reading.documents.front();
  return patch;
}

Answer<Value> Patch::apply(const Bodies& bodies, const Value& object, Source source, const schema::Type* type,
                           FieldValidation validation, std::vector<std::string>& warnings,
                           const OtherVersions* versions) const {
  std::vector<std::string> strict = duplicates_;
  document::PatchResult patched = object;
  const bool is_strategic = type_ == PatchType::kStrategic && type != nullptr;
  if (type_ == PatchType::kJson) {
    const auto operations = document::JsonPatch::decode(document_);
    if (!operations) return refuse(from_patch_error(operations.error()));
    strict.insert(strict.end(), operations->strict_errors().begin(), operations->strict_errors().end());
    patched = operations->apply(object);
  } else if (is_strategic) {
    if (!document_.is_object()) {
      return refuse(bad_request("error decoding patch: json: cannot unmarshal " + std::string(document_.type_name()) +
                                " into Go value of type map[string]interface {}"));
    }
    patched = api::strategic_merge(object, document_, *type);
  } else {
    patched = document::merge_patch(object, document_);
  }
  if (!patched) return refuse(from_patch_error(patched.error()));
  PatchedObject result{*patched, source == Source::kKept ? &object : nullptr};
  if (is_strategic) result.strategic = [&] { return after_merge(object, document_); };
  if (versions != nullptr) {
    warn_of_removals(*versions, *patched, object, warnings);
    const KeptFields kept{*versions, object};
    result.kept = &kept;
    return bodies.conform_patched(result, type, validation, std::move(strict), warnings);
  }
  return bodies.conform_patched(result, type, validation, std::move(strict), warnings);
}

}  // namespace loadline::apiserver
