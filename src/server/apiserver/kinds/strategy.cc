#include "server/apiserver/kinds/strategy.h"

#include "foundation/document/at.h"
#include "objects/schema/conform.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

bool has_status(const StrategyContext& context) { return context.resource.find_subresource("status") != nullptr; }

/// A part of an object; null if it is not there, so that absent and null compare equal.
Value part(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found == nullptr ? Value() : *found;
}

Value with_part(const Value& object, std::string_view name, const Value& value) {
  return value.is_null() ? object.without(name) : object.with(name, value);
}

/// Does `object` say something else than `old`, metadata and status apart?
bool changes_specification(const Value& object, const Value& old) {
  const auto differs = [](const Value& a, const Value& b) {
    for (const document::Member& member : a.object()) {
      if (member.key == "metadata" || member.key == "status" || member.key == "kind" || member.key == "apiVersion") {
        continue;
      }
      if (part(b, member.key) != member.value) return true;
    }
    return false;
  };
  return differs(object, old) || differs(old, object);
}

}  // namespace

Value Strategy::prepare_for_create(Value object, StrategyContext& context) const {
  if (has_status(context)) {
    // A kind whose status has fields that are always written keeps an empty one.
    const schema::Field* status = context.resource.type == nullptr ? nullptr : context.resource.type->find("status");
    const bool is_written = status != nullptr && !status->omits_empty && !context.resource.is_custom;
    object = is_written ? object.with("status", schema::zero_value(*status->type)) : object.without("status");
  }
  if (traits_.has_generation || context.resource.is_custom) {
    object = with_metadata(object, "generation", Value(std::int64_t{1}));
  }
  return object;
}

Value Strategy::prepare_for_update(Value object, const Value& old, StrategyContext& context) const {
  if (has_status(context)) object = with_part(object, "status", part(old, "status"));
  if ((traits_.has_generation || context.resource.is_custom) && changes_specification(object, old)) {
    object = with_metadata(object, "generation", Value(generation_of(old) + 1));
  }
  return object;
}

Value Strategy::prepare_for_status_update(const Value& object, const Value& old, StrategyContext& context) const {
  Value changed = with_part(old, "status", part(object, "status"));
  if (context.resource.is_custom) {
    // Only the bookkeeping of the fields' managers changes with the status.
    return with_metadata(changed, "managedFields", part(part(object, "metadata"), "managedFields"));
  }
  // Built-in kinds let a status request touch metadata.
  return changed.with("metadata", part(object, "metadata"));
}

kube::FieldErrors Strategy::validate(const Value& object, StrategyContext& context) const {
  return metadata_errors(object, context.resource);
}

kube::FieldErrors Strategy::validate_update(const Value& object, const Value& /*old*/, StrategyContext& context) const {
  return validate(object, context);
}

kube::FieldErrors Strategy::validate_status_update(const Value& object, const Value& old,
                                                   StrategyContext& context) const {
  return metadata_errors(object, context.resource, &old);
}

std::optional<std::int64_t> Strategy::grace_period(const Value& /*object*/, const DeleteOptions& /*options*/) const {
  return std::nullopt;
}

}  // namespace loadline::apiserver
