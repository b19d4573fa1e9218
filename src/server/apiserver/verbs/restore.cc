#include "server/apiserver/verbs/restore.h"

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/verbs/perform.h"

namespace loadline::apiserver {
namespace {

using document::Value;

RequestInfo creation_of(const schema::Resource& resource, const Value& object) {
  RequestInfo info;
  info.is_resource = true;
  info.verb = "create";
  info.group = resource.kind.group;
  info.version = resource.kind.version;
  info.resource = resource.plural;
  if (resource.is_namespaced) {
    const std::string_view name_space = namespace_of(object);
    info.name_space = name_space.empty() ? "default" : name_space;
  }
  return info;
}

}  // namespace

Answer<void> restore(ServerContext context, const schema::Resource& resource, const Value& object) {
  const RequestInfo info = creation_of(resource, object);
  Answer<std::shared_ptr<const ServedResource>> served = find_served(context, info);
  if (!served) return refuse(served.error());
  Call call;
  call.served = std::move(*served);
  call.name_space = info.name_space;
  call.name = name_of(object);
  if (call.name.empty() || uid_of(object).empty()) return refuse(bad_request("an object without a name or a uid"));

  const Expected expected{call.resource().kind, call.resource().type};
  Answer<Value> decoded =
      context.bodies.decode({object, "application/json"}, expected, FieldValidation::kIgnore, call.warnings);
  if (!decoded) return refuse(decoded.error());
  // It may have been written through several versions: it is kept as it was.
  if (const OtherVersions* versions = call.served->other_versions.get()) {
    decoded = versions->with_kept(*std::move(decoded), object);
  }
  Value whole =
      convert(context.bodies.with_defaults(*decoded, call.resource(), context.loop.now()), call.served->stored->kind);
  if (call.resource().is_namespaced) whole = with_metadata(std::move(whole), "namespace", Value(call.name_space));
  whole = with_metadata(std::move(whole), "managedFields", Value());
  if (document::text_at(whole, {"metadata", "creationTimestamp"}).empty()) {
    whole = with_metadata(std::move(whole), "creationTimestamp", Value(format_rfc3339(context.loop.now())));
  }

  const store::Key key = call.key(call.name);
  if (context.store.get(key) != nullptr) return refuse(already_exists(call.group_resource(), call.name));
  const Value final_object = stamped(std::move(whole), context.store.next_revision());
  store::StoreResult<store::ObjectPtr> stored =
      context.store.put(key, document::write_json(final_object), 0, kept_parsed(*call.served, final_object));
  if (!stored) return refuse(store_failure(stored.error(), call.group_resource(), call.name));
  (*stored)->set_derived(derive_facts(final_object, *call.served));
  return {};
}

}  // namespace loadline::apiserver
