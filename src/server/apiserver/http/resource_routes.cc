#include "server/apiserver/http/resource_routes.h"

#include <fmt/format.h>

#include "server/api/columns/table.h"
#include "server/apiserver/http/collection_removal.h"
#include "server/apiserver/http/headers.h"
#include "server/apiserver/http/responder.h"
#include "server/apiserver/http/websocket_handshake.h"
#include "server/apiserver/reads/list_stream.h"
#include "server/apiserver/verbs/perform.h"

namespace loadline::apiserver {
namespace {

/// The old form of a watch, /api/v1/watch/…/NAME, selects by that name.
Answer<ListOptions> watch_options(const RequestInfo& info) {
  Answer<ListOptions> options = read_list_options(info.query, true);
  if (!options || info.name.empty()) return options;
  const std::string& selector = options->field_selector;
  if (!selector.empty() && selector != "metadata.name=" + info.name && selector != "metadata.name==" + info.name) {
    return refuse(bad_request("fieldSelector metadata.name doesn't match requested name"));
  }
  options->field_selector = "metadata.name=" + info.name;
  return options;
}

/// Frames of a stream are JSON: there is no way to tell one YAML document from the next.
StatusError no_such_stream() {
  StatusError failure;
  failure.code = 406;
  failure.reason = "NotAcceptable";
  failure.message =
      "only the following media types are accepted: application/json;stream=watch, "
      "application/vnd.kubernetes.protobuf;stream=watch";
  return failure;
}

/// Whether the request is about no custom resource although its group is one of custom resources: upstream answers
/// those without a Status. Source: crdHandler in
/// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go, v0.36.
bool is_unserved_custom_path(const ServerContext& context, const RequestInfo& info) {
  const auto served = context.served.find(info.group, info.version, info.resource, ServedResources::Use::kReading);
  if (served == nullptr) {
    const auto others = context.catalog.resources(info.group, info.version);
    return !others.empty() && others.front()->is_custom;
  }
  const schema::Resource& resource = *served->resource;
  if (!resource.is_custom) return false;
  const bool may_be_anywhere = info.verb == "list" || info.verb == "watch";
  return resource.is_namespaced ? info.name_space.empty() && !may_be_anywhere : !info.name_space.empty();
}

void respond_written(net::Exchange& exchange, const Answer<Written>& written, const Rendering& rendering,
                     const std::vector<std::string>& warnings) {
  if (!written) return respond_failure(exchange, written.error(), warnings);
  if (written->text) return respond_text(exchange, written->code, *written->text, "text/plain");
  net::Headers headers = answer_headers(warnings);
  headers.add("Content-Type", std::string(rendering.content_type()));
  std::string body = written->is_status           ? rendering.other(written->object)
                     : written->stored != nullptr ? rendering.object(*written->stored)
                                                  : rendering.object(written->object);
  exchange.respond({written->code, std::move(headers), std::move(body)});
}

}  // namespace

void ResourceRoutes::handle(const Exchange& exchange, const RequestInfo& info, User user) {
  Answer<std::shared_ptr<const ServedResource>> served = find_served(context_, info);
  if ((!served || info.verb == "deletecollection") && is_unserved_custom_path(context_, info)) {
    return respond_text(*exchange, 404, "404 page not found\n");
  }
  if (!served) return respond_failure(*exchange, served.error());
  const net::Request& request = exchange->request();
  const bool is_collection = info.verb == "list" || info.verb == "watch";
  const Answer<Representation> representation =
      negotiate(header(request, "Accept"), wants_pretty(info.query, header(request, "User-Agent")), is_collection);
  if (!representation) return respond_failure(*exchange, representation.error());
  const auto include = api::parse_include_object(info.query.get("includeObject"));
  if (!include) {
    return respond_failure(
        *exchange, bad_request(fmt::format("Unable to convert to Table as requested: includeObject: Invalid value: "
                                           "\"{}\": must be 'Metadata', 'Object', 'None', or empty",
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
  const Rendering rendering(call.served, *representation, *include, context_.loop.now());
  if (info.verb == "list") return list(exchange, call, info, rendering);
  if (info.verb == "watch") return watch(exchange, call, info, rendering);
  if (info.verb == "deletecollection") return remove_collection(exchange, call, info, rendering);
  Answer<Written> written = perform(context_, call, info, Body(request));
  answer(exchange, call, rendering, std::move(written));
}

void ResourceRoutes::answer(const Exchange& exchange, const Call& call, const Rendering& rendering,
                            Answer<Written> written) {
  const store::Revision revision =
      written && written->stored != nullptr ? written->stored->revision() : context_.store.revision();
  // What is only read is durable already, nearly always: then nothing needs to be kept for later.
  if (revision <= context_.store.durable_revision()) {
    return respond_written(*exchange, written, rendering, call.warnings);
  }
  context_.store.when_durable(revision, [exchange, warnings = call.warnings, rendering,
                                         result = std::move(written)](const Result<void>& durable) {
    if (!durable) return respond_failure(*exchange, internal_error(durable.error().message), warnings);
    respond_written(*exchange, result, rendering, warnings);
  });
}

void ResourceRoutes::list(const Exchange& exchange, Call& call, const RequestInfo& info, const Rendering& rendering) {
  const auto refuse_with = [&](const StatusError& failure) { respond_failure(*exchange, failure, call.warnings); };
  const Answer<ListOptions> options = read_list_options(info.query, false);
  if (!options) return refuse_with(options.error());
  Answer<Selection> selection = Selection::read(*call.served, *options);
  if (!selection) return refuse_with(selection.error());
  const Answer<ListPlan> plan = plan_list(*options, *call.served, call.name_space, context_.store);
  if (!plan) return refuse_with(plan.error());
  Answer<store::Listing> listing = open_listing(*plan, *options, *call.served, context_.store);
  if (!listing) return refuse_with(listing.error());
  const store::Revision revision = listing->revision();
  auto stream = std::make_shared<ListStream>(context_.loop, exchange, rendering, std::move(*selection),
                                             std::move(*listing), plan->limit);
  context_.store.when_durable(revision, [exchange, stream, warnings = call.warnings](const Result<void>& durable) {
    if (!durable) return respond_failure(*exchange, internal_error(durable.error().message), warnings);
    stream->run(answer_headers(warnings));
  });
}

void ResourceRoutes::watch(const Exchange& exchange, Call& call, const RequestInfo& info, const Rendering& rendering) {
  const auto refuse_with = [&](const StatusError& failure) { respond_failure(*exchange, failure, call.warnings); };
  const Answer<ListOptions> options = watch_options(info);
  if (!options) return refuse_with(options.error());
  Answer<Selection> selection = Selection::read(*call.served, *options);
  if (!selection) return refuse_with(selection.error());
  Answer<WatchStream::Plan> plan =
      plan_watch(*options, *call.served, call.name_space, *selection, context_.store, context_.rng);
  if (!plan) return refuse_with(plan.error());
  if (rendering.representation().format == Format::kYaml) return refuse_with(no_such_stream());
  if (wants_websocket(exchange->request())) {
    auto agreed = agree_to_websocket(exchange->request());
    if (!agreed) return exchange->respond(std::move(agreed.error()));
    plan->websocket = std::move(*agreed);
  }
  plan->wall = wall_;
  plan->events = &context_.metrics.events(info.group, info.version, info.resource);
  const store::Revision revision = plan->initial ? plan->initial->revision() : 0;
  auto stream = std::make_shared<WatchStream>(context_.loop, context_.store, exchange, rendering, std::move(*selection),
                                              std::move(*plan));
  watches_.emplace(stream.get(), stream);
  context_.store.when_durable(revision, [this, stream, warnings = call.warnings](const Result<void>& durable) {
    if (!durable) {
      watches_.erase(stream.get());
      return;
    }
    stream->run(answer_headers(warnings), [this, of = stream.get()] { watches_.erase(of); });
  });
}

void ResourceRoutes::remove_collection(const Exchange& exchange, Call& call, const RequestInfo& info,
                                       const Rendering& rendering) {
  const auto refuse_with = [&](const StatusError& failure) { respond_failure(*exchange, failure, call.warnings); };
  const Answer<ListOptions> options = read_list_options(info.query, false);
  if (!options) return refuse_with(options.error());
  Answer<Selection> selection = Selection::read(*call.served, *options);
  if (!selection) return refuse_with(selection.error());
  const Answer<ListPlan> plan = plan_list(*options, *call.served, call.name_space, context_.store);
  if (!plan) return refuse_with(plan.error());
  Answer<store::Listing> listing = open_listing(*plan, *options, *call.served, context_.store);
  if (!listing) return refuse_with(listing.error());
  const Answer<DeleteOptions> delete_options = context_.bodies.delete_options(Body(exchange->request()), info.query);
  if (!delete_options) return refuse_with(delete_options.error());

  CollectionRemoval::Order order{std::move(call), std::move(*selection), std::move(*listing), *delete_options, alive_};
  std::make_shared<CollectionRemoval>(context_, exchange, std::move(order), rendering)->run();
}

void ResourceRoutes::stop() {
  while (!watches_.empty()) {
    const std::shared_ptr<WatchStream> stream = watches_.begin()->second;
    watches_.erase(watches_.begin());
    stream->stop();
  }
}

}  // namespace loadline::apiserver
