#include "server/apiserver/verbs/perform.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "foundation/base/contract.h"
#include "server/apiserver/bodies/applying.h"
#include "server/apiserver/bodies/patching.h"
#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/subresource.h"
#include "server/apiserver/verbs/new_object.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Expected expected_of(const Call& call) { return {call.resource().kind, call.resource().type}; }

/// What discovery calls the verb that is needed for a request of that verb.
bool allows(const schema::Resource& resource, const RequestInfo& info) {
  if (info.subresource.empty()) return resource.allows(info.verb);
  const schema::Subresource* subresource = resource.find_subresource(info.subresource);
  return subresource != nullptr &&
         std::find(subresource->verbs.begin(), subresource->verbs.end(), info.verb) != subresource->verbs.end();
}

/// `the name of the object (a) does not match the name on the URL (b)`.
Answer<void> check_name(const Call& call, const Value& object) {
  const std::string_view name = name_of(object);
  if (!name.empty() && name != call.name) {
    return refuse(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, call.name)));
  }
  const std::string_view name_space = namespace_of(object);
  if (!name_space.empty() && call.resource().is_namespaced && name_space != call.name_space) {
    return refuse(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  return {};
}

/// The object with what its place says already.
Value placed(const Call& call, Value object) {
  object = with_metadata(object, "name", Value(call.name));
  return call.resource().is_namespaced ? with_metadata(object, "namespace", Value(call.name_space)) : object;
}

Writer::Target target_of(const Call& call) {
  if (call.subresource.empty()) return Writer::Target::kObject;
  return call.subresource == "status" ? Writer::Target::kStatus : Writer::Target::kOther;
}

Answer<Written> get(const ServerContext& context, const Call& call, const RequestInfo& info) {
  const std::string_view asked = info.query.get("resourceVersion");
  const std::optional<store::Revision> version = parse_revision(asked);
  if (!version) return refuse(plain_error(version_fault(asked)));
  const store::ObjectPtr object = context.store.get(call.key(call.name));
  if (object == nullptr) return refuse(not_found(call.group_resource(), call.name));
  return Written{{}, object, 200};  // its text is the answer: nothing to parse
}

Answer<Written> create(ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kCreate);
  if (!options) return refuse(options.error());
  Answer<Value> object = read_new(context.bodies, call, body, options->validation, context.loop.now());
  if (!object) return refuse(object.error());
  return context.writer.create(call, std::move(*object), *options);
}

Answer<Written> update(ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kUpdate);
  if (!options) return refuse(options.error());
  Expected expected = expected_of(call);
  const store::ObjectPtr before = context.store.get(call.key(call.name));
  const bool may_keep = before != nullptr && call.served->other_versions != nullptr;
  const Value replaced = may_keep ? before->document() : Value();
  std::optional<KeptFields> kept;
  if (may_keep) expected.kept = &kept.emplace(*call.served->other_versions, replaced);
  Answer<Value> object = context.bodies.decode(body, expected, options->validation, call.warnings);
  if (!object) return refuse(object.error());
  if (const Answer<void> verdict = check_name(call, *object); !verdict) return refuse(verdict.error());
  const Value stored =
      convert(context.bodies.with_defaults(placed(call, std::move(*object)), call.resource(), context.loop.now()),
              call.served->stored->kind);
  const bool creates =
      call.subresource.empty() && call.served->strategy->traits().allows_create_on_update && before == nullptr;
  if (creates) return context.writer.create(call, stored, *options);
  return context.writer.change(
      call, [&](const Value& old) { return narrowed(context, call, stored, old); }, target_of(call), *options);
}

Answer<Written> patch(ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<PatchType> type = patch_type(body, call.resource());
  if (!type) return refuse(type.error());
  const bool is_apply = *type == PatchType::kApply;
  const Answer<WriteOptions> options = read_write_options(info.query, is_apply ? Write::kApply : Write::kPatch);
  if (!options) return refuse(options.error());
  if (is_apply) return apply_patch(context, call, body, *options);
  const Answer<Patch> patch = Patch::read(body, *type);
  if (!patch) return refuse(patch.error());
  const auto source = call.served->is_stored_version() ? Patch::Source::kKept : Patch::Source::kMade;
  const auto patched = [&](const Value& old) -> Answer<Value> {
    Answer<Value> changed =
        patch->apply(context.bodies, convert(old, call.resource().kind), source, call.resource().type,
                     options->validation, call.warnings, call.served->other_versions.get());
    if (!changed) return changed;
    if (const Answer<void> verdict = check_name(call, *changed); !verdict) return refuse(verdict.error());
    const Value defaulted =
        context.bodies.with_defaults(placed(call, std::move(*changed)), call.resource(), context.loop.now());
    return narrowed(context, call, convert(defaulted, call.served->stored->kind), old);
  };
  return context.writer.change(call, patched, target_of(call), *options);
}

Answer<Written> remove(ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<DeleteOptions> options = context.bodies.delete_options(body, info.query);
  if (!options) return refuse(options.error());
  return context.writer.remove(call, *options);
}

}  // namespace

Answer<std::shared_ptr<const ServedResource>> find_served(const ServerContext& context, const RequestInfo& info) {
  const bool writes = info.verb == "create" || info.verb == "update" || info.verb == "patch";
  const auto use = writes ? ServedResources::Use::kAny : ServedResources::Use::kReading;
  std::shared_ptr<const ServedResource> served = context.served.find(info.group, info.version, info.resource, use);
  if (served == nullptr) return refuse(no_such_resource());
  const schema::Resource& resource = *served->resource;
  if (!info.subresource.empty() && resource.find_subresource(info.subresource) == nullptr) {
    // One handler of upstream's is there for whatever is below custom resources.
    return refuse(resource.is_custom ? not_found(GroupResource(resource), info.name) : no_such_resource());
  }
  const bool is_collection = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection";
  if (info.name.empty() && (info.verb == "update" || info.verb == "patch")) {
    return refuse(resource.is_custom ? bad_request("name must be provided") : method_not_allowed());
  }
  const bool has_namespace = !info.name_space.empty() && info.resource != "namespaces";
  if (has_namespace && !resource.is_namespaced) return refuse(no_such_resource());
  if (!has_namespace && resource.is_namespaced && !is_collection) {
    return refuse(info.verb == "create" ? method_not_allowed() : no_such_resource());
  }
  if (!allows(resource, info)) return refuse(method_not_allowed());
  // A POST to a path with a name, and no subresource, is for nothing; among custom resources the name says nothing.
  const bool is_named = info.subresource.empty() && !info.name.empty();
  if (info.verb == "create" && is_named && !resource.is_custom) return refuse(method_not_allowed());
  return served;
}

namespace {

Answer<Written> perform_at_once(ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  if (!call.subresource.empty()) {
    const SubresourceHandler* handler = find_subresource_handler(call.resource(), call.subresource);
    if (handler != nullptr && handler->handle != nullptr) return handler->handle(context, call, info, body);
  }
  if (info.verb == "create") {
    const SubresourceHandler* handler = find_subresource_handler(call.resource(), {});
    return handler != nullptr ? handler->handle(context, call, info, body) : create(context, call, info, body);
  }
  if (info.verb == "update") return update(context, call, info, body);
  if (info.verb == "patch") return patch(context, call, info, body);
  if (info.verb == "delete") return remove(context, call, info, body);
  return get(context, call, info);
}

}  // namespace

Answer<Written> perform(ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  REQUIRES(call.served != nullptr && call.subresource == info.subresource);
  try {
    return perform_at_once(context, call, info, body);
  } catch (const std::bad_alloc&) {
    // What is written is written by Store, which ends the process rather than do half of it.
    return refuse(internal_error("there is not enough memory for this request"));
  }
}

}  // namespace loadline::apiserver
