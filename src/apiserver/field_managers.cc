#include "apiserver/field_managers.h"

#include <utility>

#include "api/conform.h"
#include "api/managed_fields.h"

namespace loadline::apiserver {

using document::Object;
using document::Value;

std::string manager_of(const Call& call, const WriteOptions& options) {
  return api::manager_name(options.field_manager, call.user_agent);
}

api::FieldManagement field_management(const Call& call, Instant now) {
  const Served& served = *call.served;
  api::FieldManagement management;
  management.type = served.stored->type;
  management.api_version = served.resource->kind.api_version();
  management.subresource = call.subresource;
  management.is_custom = served.resource->is_custom;
  management.reset_fields = served.reset_fields(call.subresource);
  // What a scale changed has no time: upstream looks for it under the name that the entry has in the Scale.
  if (call.subresource != "scale") management.now = format_rfc3339(now);
  return management;
}

Value blank_object(const Served& served) {
  const api::Resource& stored = *served.stored;
  if (!stored.is_custom && stored.type != nullptr) return api::zero_value(*stored.type);
  return Value(Object{{"apiVersion", Value(stored.kind.api_version()), {}}, {"kind", Value(stored.kind.kind), {}}});
}

Value with_managed_fields(const Call& call, const WriteOptions& options, const Value* old, Value object, Instant now) {
  if (call.served->stored->type == nullptr) return object;
  const Value live = old != nullptr ? *old : blank_object(*call.served);
  return api::record_update(live, object, manager_of(call, options), field_management(call, now));
}

}  // namespace loadline::apiserver
