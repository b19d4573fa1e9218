#include "server/apiserver/bodies/field_managers.h"

#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/workload_names.h"
#include "objects/schema/conform.h"
#include "server/api/apply/managed_fields.h"
#include "server/apiserver/conversion/conversion.h"

namespace loadline::apiserver {

using document::Object;
using document::Value;

namespace {

/// Fields are counted in what conversion makes of an object, and of a daemon set it writes the template's generation
/// into an annotation, whichever client sent it. The strategy counts it afterwards.
Value as_converted(const Call& call, Value object) {
  if (call.resource().kind.kind != "DaemonSet" || call.resource().is_custom) return object;
  if (document::find_at(object, {"metadata", "annotations", kube::kTemplateGeneration}) != nullptr) return object;
  return document::with_at(std::move(object), {"metadata", "annotations", kube::kTemplateGeneration}, Value("0"));
}

}  // namespace

std::string manager_of(const Call& call, const WriteOptions& options) {
  return api::manager_name(options.field_manager, call.user_agent);
}

api::FieldManagement field_management(const Call& call, Instant now) {
  const ServedResource& served = *call.served;
  api::FieldManagement management;
  management.type = served.resource->type;
  management.api_version = served.resource->kind.api_version();
  management.subresource = call.subresource;
  management.is_custom = served.resource->is_custom;
  management.memo = served.field_sets.get();
  management.reset_fields = served.reset_fields(call.subresource);
  // What a scale changed has no time: upstream looks for it under the name that the entry has in the Scale.
  if (call.subresource != "scale") management.now = format_rfc3339(now);
  return management;
}

Value blank_object(const ServedResource& served) {
  const schema::Resource& stored = *served.stored;
  if (!stored.is_custom && stored.type != nullptr) return schema::zero_value(*stored.type);
  return Value(Object{{"apiVersion", Value(stored.kind.api_version()), {}}, {"kind", Value(stored.kind.kind), {}}});
}

Value with_managed_fields(const Call& call, const WriteOptions& options, const Value* old, Value object, Instant now) {
  if (call.served->stored->type == nullptr) return object;
  const Value live = old != nullptr ? *old : blank_object(*call.served);
  const std::string manager = manager_of(call, options);
  const api::FieldManagement management = field_management(call, now);
  object = as_converted(call, std::move(object));
  const bool is_plainly_custom = call.resource().is_custom && !has_converter(call.resource().kind);
  if (call.served->is_stored_version() || is_plainly_custom) {
    return api::record_update(live, std::move(object), manager, management);
  }
  // Fields are kept by their names in the version of the request.
  const schema::GroupVersionKind& kind = call.resource().kind;
  const Value recorded = api::record_update(convert(live, kind), convert(object, kind), manager, management);
  const Value* fields = document::find_at(recorded, {"metadata", "managedFields"});
  return document::with_at(object, {"metadata", "managedFields"}, fields == nullptr ? Value() : *fields);
}

}  // namespace loadline::apiserver
