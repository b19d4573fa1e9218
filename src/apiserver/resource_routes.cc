#include "apiserver/resource_routes.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/table.h"
#include "apiserver/applying.h"
#include "apiserver/conversion.h"
#include "apiserver/metadata.h"
#include "apiserver/patching.h"
#include "apiserver/reads/list_stream.h"
#include "apiserver/responder.h"
#include "apiserver/subresources/subresource.h"
#include "document/writer.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Expected expected_of(const Call& call) { return {call.resource().kind, call.resource().type}; }

/// What discovery calls the verb that is needed for a request of that verb.
bool allows(const api::Resource& resource, const RequestInfo& info) {
  if (info.subresource.empty()) return resource.allows(info.verb);
  const api::Subresource* subresource = resource.find_subresource(info.subresource);
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
    return refuse(
        bad_request(fmt::format("the namespace of the object ({}) does not match the namespace on the request ({})",
                                name_space, call.name_space)));
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

std::string_view header(const net::Request& request, std::string_view name) {
  const std::string* value = request.headers.find(name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace

Answer<std::shared_ptr<const Served>> ResourceRoutes::route(const RequestInfo& info) const {
  const bool writes = info.verb == "create" || info.verb == "update" || info.verb == "patch";
  const auto use = writes ? ServedResources::Use::kAny : ServedResources::Use::kReading;
  std::shared_ptr<const Served> served = parts_.served.find(info.group, info.version, info.resource, use);
  if (served == nullptr) return refuse(no_such_resource());
  const api::Resource& resource = *served->resource;
  if (!info.subresource.empty() && resource.find_subresource(info.subresource) == nullptr) {
    return refuse(no_such_resource());
  }
  const bool is_collection = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection";
  if (info.name.empty() && (info.verb == "update" || info.verb == "patch")) return refuse(method_not_allowed());
  const bool has_namespace = !info.name_space.empty() && info.resource != "namespaces";
  if (has_namespace && !resource.is_namespaced) return refuse(no_such_resource());
  if (!has_namespace && resource.is_namespaced && !is_collection) {
    return refuse(info.verb == "create" ? method_not_allowed() : no_such_resource());
  }
  if (!allows(resource, info)) return refuse(method_not_allowed());
  // A POST to a path with a name, and no subresource, is for nothing.
  if (info.verb == "create" && info.subresource.empty() && !info.name.empty()) return refuse(method_not_allowed());
  return served;
}

void ResourceRoutes::handle(Exchange exchange, const RequestInfo& info, User user) {
  Answer<std::shared_ptr<const Served>> served = route(info);
  if (!served) return respond_failure(*exchange, served.error());
  const net::Request& request = exchange->request();
  const bool is_collection = info.verb == "list" || info.verb == "watch";
  const Answer<Representation> representation =
      negotiate(header(request, "Accept"), info.query.flag("pretty"), is_collection);
  if (!representation) return respond_failure(*exchange, representation.error());
  const auto include = api::parse_include_object(info.query.get("includeObject"));
  if (!include) {
    return respond_failure(*exchange, bad_request(fmt::format("unrecognized includeObject value: \"{}\"",
                                                              info.query.get("includeObject"))));
  }
  Call call;
  call.served = *served;
  call.name_space = info.resource == "namespaces" ? std::string() : info.name_space;
  call.name = is_collection ? std::string() : info.name;
  call.subresource = info.subresource;
  call.user = std::move(user);
  call.user_agent = header(request, "User-Agent");
  if (!call.resource().deprecation_warning.empty()) call.warnings.push_back(call.resource().deprecation_warning);
  const Rendering rendering(call.served, *representation, *include, parts_.loop.now());
  if (info.verb == "list") return list(exchange, call, info, rendering);
  if (info.verb == "watch") return watch(exchange, call, info, rendering);
  if (info.verb == "deletecollection") return remove_collection(exchange, call, info, rendering);
  Answer<Written> written = run(call, info, request);
  answer(exchange, call, rendering, std::move(written));
}

Answer<Written> ResourceRoutes::run(Call& call, const RequestInfo& info, const net::Request& request) {
  if (!call.subresource.empty()) {
    const SubresourceHandler* handler = find_subresource_handler(call.resource(), call.subresource);
    if (handler != nullptr && handler->handle != nullptr) return handler->handle(parts_, call, info, request);
  }
  if (info.verb == "create") {
    const SubresourceHandler* handler = find_subresource_handler(call.resource(), {});
    return handler != nullptr ? handler->handle(parts_, call, info, request) : create(call, info, request);
  }
  if (info.verb == "update") return update(call, info, request);
  if (info.verb == "patch") return patch(call, info, request);
  if (info.verb == "delete") return remove(call, request, info);
  const store::ObjectPtr object = parts_.store.get(call.key(call.name));
  if (object == nullptr) return refuse(not_found(call.group_resource(), call.name));
  return Written{object->document(), object, 200};
}

Answer<Written> ResourceRoutes::create(Call& call, const RequestInfo& info, const net::Request& request) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kCreate);
  if (!options) return refuse(options.error());
  Answer<Value> object = parts_.bodies.decode(request, expected_of(call), options->validation, call.warnings);
  if (!object) return refuse(object.error());
  const Value defaulted = parts_.bodies.with_defaults(*object, call.resource(), parts_.loop.now());
  return parts_.writer.create(call, convert(defaulted, call.served->stored->kind), *options);
}

Answer<Written> ResourceRoutes::update(Call& call, const RequestInfo& info, const net::Request& request) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kUpdate);
  if (!options) return refuse(options.error());
  Answer<Value> object = parts_.bodies.decode(request, expected_of(call), options->validation, call.warnings);
  if (!object) return refuse(object.error());
  if (const Answer<void> verdict = check_name(call, *object); !verdict) return refuse(verdict.error());
  const Value stored =
      convert(parts_.bodies.with_defaults(placed(call, std::move(*object)), call.resource(), parts_.loop.now()),
              call.served->stored->kind);
  const bool creates = call.subresource.empty() && call.served->strategy->traits().allows_create_on_update &&
                       parts_.store.get(call.key(call.name)) == nullptr;
  if (creates) return parts_.writer.create(call, stored, *options);
  return parts_.writer.change(
      call, [&](const Value& old) { return narrowed(parts_, call, stored, old); }, target_of(call), *options);
}

Answer<Written> ResourceRoutes::patch(Call& call, const RequestInfo& info, const net::Request& request) {
  const Answer<PatchType> type = patch_type(request, call.resource());
  if (!type) return refuse(type.error());
  const bool is_apply = *type == PatchType::kApply;
  const Answer<WriteOptions> options = read_write_options(info.query, is_apply ? Write::kApply : Write::kPatch);
  if (!options) return refuse(options.error());
  if (is_apply) return apply_patch(parts_, call, request, *options);
  const Answer<Patch> patch = Patch::read(request, *type);
  if (!patch) return refuse(patch.error());
  const auto patched = [&](const Value& old) -> Answer<Value> {
    Answer<Value> changed = patch->apply(parts_.bodies, convert(old, call.resource().kind), call.resource().type,
                                         options->validation, call.warnings);
    if (!changed) return changed;
    if (const Answer<void> verdict = check_name(call, *changed); !verdict) return refuse(verdict.error());
    const Value defaulted =
        parts_.bodies.with_defaults(placed(call, std::move(*changed)), call.resource(), parts_.loop.now());
    return narrowed(parts_, call, convert(defaulted, call.served->stored->kind), old);
  };
  return parts_.writer.change(call, patched, target_of(call), *options);
}

Answer<Written> ResourceRoutes::remove(Call& call, const net::Request& request, const RequestInfo& info) {
  const Answer<DeleteOptions> options = parts_.bodies.delete_options(request, info.query);
  if (!options) return refuse(options.error());
  return parts_.writer.remove(call, *options);
}

void ResourceRoutes::answer(const Exchange& exchange, const Call& call, const Rendering& rendering,
                            Answer<Written> written) {
  const store::Revision revision =
      written && written->stored != nullptr ? written->stored->revision() : parts_.store.revision();
  parts_.store.when_durable(revision, [exchange, warnings = call.warnings, rendering,
                                       result = std::move(written)](const Result<void>& durable) {
    if (!durable) return respond_failure(*exchange, internal_error(durable.error().message), warnings);
    if (!result) return respond_failure(*exchange, result.error(), warnings);
    if (result->text) return respond_text(*exchange, result->code, *result->text, "text/plain");
    net::Headers headers = answer_headers(warnings);
    headers.add("Content-Type", std::string(rendering.content_type()));
    std::string body = result->is_status           ? rendering.other(result->object)
                       : result->stored != nullptr ? rendering.object(*result->stored)
                                                   : rendering.object(result->object);
    exchange->respond({result->code, std::move(headers), std::move(body)});
  });
}

void ResourceRoutes::list(const Exchange& exchange, Call& call, const RequestInfo& info, const Rendering& rendering) {
  const auto refuse_with = [&](const Failure& failure) { respond_failure(*exchange, failure, call.warnings); };
  const Answer<ListOptions> options = read_list_options(info.query, false);
  if (!options) return refuse_with(options.error());
  Answer<Selection> selection = Selection::read(*call.served, *options);
  if (!selection) return refuse_with(selection.error());
  const Answer<ListPlan> plan = plan_list(*options, *call.served, call.name_space, parts_.store);
  if (!plan) return refuse_with(plan.error());
  Answer<store::Listing> listing = open_listing(*plan, *options, *call.served, parts_.store);
  if (!listing) return refuse_with(listing.error());
  const store::Revision revision = listing->revision();
  auto stream =
      std::make_shared<ListStream>(exchange, rendering, std::move(*selection), std::move(*listing), plan->limit);
  parts_.store.when_durable(revision, [exchange, stream, warnings = call.warnings](const Result<void>& durable) {
    if (!durable) return respond_failure(*exchange, internal_error(durable.error().message), warnings);
    stream->run(answer_headers(warnings));
  });
}

void ResourceRoutes::watch(const Exchange& exchange, Call& call, const RequestInfo& info, const Rendering& rendering) {
  const auto refuse_with = [&](const Failure& failure) { respond_failure(*exchange, failure, call.warnings); };
  const Answer<ListOptions> options = read_list_options(info.query, true);
  if (!options) return refuse_with(options.error());
  Answer<Selection> selection = Selection::read(*call.served, *options);
  if (!selection) return refuse_with(selection.error());
  Answer<WatchStream::Plan> plan =
      plan_watch(*options, *call.served, call.name_space, *selection, parts_.store, parts_.rng);
  if (!plan) return refuse_with(plan.error());
  plan->events = &parts_.metrics.events(info.group, info.version, info.resource);
  const store::Revision revision = plan->initial ? plan->initial->revision() : 0;
  auto stream = std::make_shared<WatchStream>(parts_.loop, parts_.store, exchange, rendering, std::move(*selection),
                                              std::move(*plan));
  watches_.emplace(stream.get(), stream);
  parts_.store.when_durable(revision, [this, stream, warnings = call.warnings](const Result<void>& durable) {
    if (!durable) {
      watches_.erase(stream.get());
      return;
    }
    stream->run(answer_headers(warnings), [this, of = stream.get()] { watches_.erase(of); });
  });
}

void ResourceRoutes::remove_collection(const Exchange& exchange, Call& call, const RequestInfo& info,
                                       const Rendering& rendering) {
  const auto refuse_with = [&](const Failure& failure) { respond_failure(*exchange, failure, call.warnings); };
  const Answer<ListOptions> options = read_list_options(info.query, false);
  if (!options) return refuse_with(options.error());
  const Answer<Selection> selection = Selection::read(*call.served, *options);
  if (!selection) return refuse_with(selection.error());
  const Answer<ListPlan> plan = plan_list(*options, *call.served, call.name_space, parts_.store);
  if (!plan) return refuse_with(plan.error());
  Answer<store::Listing> listing = open_listing(*plan, *options, *call.served, parts_.store);
  if (!listing) return refuse_with(listing.error());
  const Answer<DeleteOptions> delete_options = parts_.bodies.delete_options(exchange->request(), info.query);
  if (!delete_options) return refuse_with(delete_options.error());

  auto writer = std::make_shared<ListWriter>(rendering);
  writer->begin({.resource_version = std::to_string(listing->revision())});
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    if (!selection->matches(**object, *call.served)) continue;
    Call one = call;
    one.name = (*object)->name();
    one.name_space = (*object)->name_space();
    const Answer<Written> removed = parts_.writer.remove(one, *delete_options);
    if (!removed && removed.error().code != 404) return refuse_with(removed.error());
    writer->add(**object);
  }
  writer->end();
  parts_.store.when_durable(parts_.store.revision(),
                            [exchange, writer, rendering, warnings = call.warnings](const Result<void>& durable) {
                              if (!durable)
                                return respond_failure(*exchange, internal_error(durable.error().message), warnings);
                              net::Headers headers = answer_headers(warnings);
                              headers.add("Content-Type", std::string(rendering.content_type()));
                              exchange->respond({200, std::move(headers), rendering.formatted(writer->take())});
                            });
}

void ResourceRoutes::stop() {
  while (!watches_.empty()) {
    const std::shared_ptr<WatchStream> stream = watches_.begin()->second;
    watches_.erase(watches_.begin());
    stream->stop();
  }
}

}  // namespace loadline::apiserver
