#include "server/apiserver/in_process/local_client.h"

#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/in_process/local_watch.h"
#include "server/apiserver/reads/list_stream.h"
#include "server/apiserver/reads/page.h"
#include "server/apiserver/reads/watch_stream.h"
#include "server/apiserver/verbs/perform.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kJson = "application/json";

/// The request as its path would say it.
RequestInfo info_of(const kube::ResourceReference& of, std::string_view verb) {
  RequestInfo info;
  info.is_resource = true;
  info.verb = verb;
  info.group = of.group;
  info.version = of.version;
  info.resource = of.plural;
  info.subresource = of.subresource;
  const bool is_collection = verb == "list" || verb == "watch";
  const bool creates_object = verb == "create" && of.subresource.empty();
  if (!is_collection && !creates_object) info.name = of.name;
  const bool is_namespace = of.group.empty() && of.plural == "namespaces";
  info.name_space = is_namespace ? info.name : of.name_space;
  return info;
}

std::string_view flag(bool is_set) { return is_set ? "true" : ""; }

std::string_view content_type(kube::PatchType type) {
  switch (type) {
    case kube::PatchType::kJson:
      return "application/json-patch+json";
    case kube::PatchType::kMerge:
      return "application/merge-patch+json";
    case kube::PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case kube::PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return {};
}

Value document_of(const kube::DeleteOptions& options) {
  constexpr std::string_view kPolicies[] = {"", "Orphan", "Background", "Foreground"};
  Value document(Object{{"kind", Value("DeleteOptions"), {}}, {"apiVersion", Value("v1"), {}}});
  if (options.propagation != kube::DeleteOptions::Propagation::kDefault) {
    document = document.with("propagationPolicy", Value(kPolicies[static_cast<std::size_t>(options.propagation)]));
  }
  if (options.grace_period_seconds) {
    document = document.with("gracePeriodSeconds", Value(*options.grace_period_seconds));
  }
  Value conditions;
  if (!options.uid.empty()) conditions = conditions.with("uid", Value(options.uid));
  if (!options.resource_version.empty()) {
    conditions = conditions.with("resourceVersion", Value(options.resource_version));
  }
  return conditions.is_null() ? document : document.with("preconditions", conditions);
}

/// The document that a write or a get is answered with. A Status may say no although nothing failed on the way.
kube::Answer<Value> document_of(const Written& written, const ServedResource& served) {
  if (written.text) return Value(*written.text);
  if (!written.is_status) return convert(written.document(), served.resource->kind);
  if (document::text_at(written.object, {"kind"}) != "Status") return written.object;
  if (document::text_at(written.object, {"status"}) != "Failure") return written.object;
  const Value* code = written.object.find("code");
  return tl::unexpected(kube::Status{code != nullptr && code->is_integer() ? static_cast<int>(code->integer()) : 500,
                                     std::string(document::text_at(written.object, {"reason"})),
                                     std::string(document::text_at(written.object, {"message"})), written.object});
}

}  // namespace

LocalClient::LocalClient(const ServerContext& context, User user, std::string manager)
    : context_(context),
      user_(std::move(user)),
      manager_(std::move(manager)),
      writes_(Query::of({{"fieldManager", manager_}})) {}

template <class T>
void LocalClient::answer(store::Revision revision, kube::Answer<T> result, std::function<void(kube::Answer<T>)> done) {
  context_.store.when_durable(
      revision, [&loop = context_.loop, alive = std::weak_ptr<void>(alive_), result = std::move(result),
                 done = std::move(done)](const Result<void>& durable) {
        kube::Answer<T> last = durable ? result : tl::unexpected(status_of(internal_error(durable.error().message)));
        loop.post([alive, last = std::move(last), done] {
          if (!alive.expired()) done(last);
        });
      });
}

Answer<Call> LocalClient::open(const RequestInfo& info) const {
  const Attributes asked = attributes_of(user_, info);
  const Decision decision = context_.rbac.authorize(asked);
  if (!decision.is_allowed) return refuse(not_allowed(asked, decision.reason));
  Answer<std::shared_ptr<const ServedResource>> served = find_served(context_, info);
  if (!served) return refuse(served.error());
  Call call;
  call.served = std::move(*served);
  call.name_space = call.resource().is_namespaced ? info.name_space : std::string();
  call.name = info.name;
  call.subresource = info.subresource;
  call.user = user_;
  call.user_agent = manager_;
  return call;
}

void LocalClient::run(const RequestInfo& info, const Body& body, OnObject done) {
  Answer<Call> call = open(info);
  const Answer<Written> written = call ? perform(context_, *call, info, body) : Answer<Written>(refuse(call.error()));
  const store::Revision revision =
      written && written->stored != nullptr ? written->stored->revision() : context_.store.revision();
  kube::Answer<Value> result =
      written ? document_of(*written, *call->served) : kube::Answer<Value>(tl::unexpected(status_of(written.error())));
  answer(revision, std::move(result), std::move(done));
}

void LocalClient::get(const kube::ResourceReference& of, OnObject done) {
  run(info_of(of, "get"), {}, std::move(done));
}

void LocalClient::create(const kube::ResourceReference& of, Value object, OnObject done) {
  RequestInfo info = info_of(of, "create");
  info.query = writes_;
  run(info, {object, kJson}, std::move(done));
}

void LocalClient::update(const kube::ResourceReference& of, Value object, OnObject done) {
  RequestInfo info = info_of(of, "update");
  info.query = writes_;
  run(info, {object, kJson}, std::move(done));
}

void LocalClient::patch(const kube::ResourceReference& of, kube::Patch patch, OnObject done) {
  RequestInfo info = info_of(of, "patch");
  info.query = patch.force ? Query::of({{"fieldManager", manager_}, {"force", "true"}}) : writes_;
  run(info, {patch.document, content_type(patch.type)}, std::move(done));
}

void LocalClient::remove(const kube::ResourceReference& of, const kube::DeleteOptions& options, OnObject done) {
  const Value document = document_of(options);
  const RequestInfo info = info_of(of, "delete");
  run(info, {document, kJson}, std::move(done));
}

Answer<kube::ObjectList> LocalClient::read_list(const RequestInfo& info, store::Revision& revision) const {
  const Answer<Call> call = open(info);
  if (!call) return refuse(call.error());
  const Answer<ListOptions> options = read_list_options(info.query, false);
  if (!options) return refuse(options.error());
  const Answer<Selection> selection = Selection::read(*call->served, *options);
  if (!selection) return refuse(selection.error());
  const Answer<ListPlan> plan = plan_list(*options, *call->served, call->name_space, context_.store);
  if (!plan) return refuse(plan.error());
  Answer<store::Listing> listing = open_listing(*plan, *options, *call->served, context_.store);
  if (!listing) return refuse(listing.error());

  revision = listing->revision();
  Page page = read_page(*listing, *selection, *call->served, plan->limit);
  kube::ObjectList list;
  list.resource_version = std::to_string(revision);
  list.continue_token = std::move(page.continue_token);
  list.items.reserve(page.objects.size());
  for (const store::ObjectPtr& object : page.objects) {
    list.items.push_back(convert(object->document(), call->resource().kind));
  }
  return list;
}

void LocalClient::list(const kube::ResourceReference& of, const kube::ListOptions& options, OnList done) {
  RequestInfo info = info_of(of, "list");
  info.query = Query::of({{"labelSelector", options.label_selector},
                          {"fieldSelector", options.field_selector},
                          {"resourceVersion", options.resource_version},
                          {"continue", options.continue_token},
                          {"limit", options.limit > 0 ? std::to_string(options.limit) : std::string()}});
  store::Revision revision = context_.store.revision();
  Answer<kube::ObjectList> list = read_list(info, revision);
  kube::Answer<kube::ObjectList> result =
      list ? kube::Answer<kube::ObjectList>(std::move(*list)) : tl::unexpected(status_of(list.error()));
  answer(revision, std::move(result), std::move(done));
}

std::unique_ptr<kube::Watch> LocalClient::watch(const kube::ResourceReference& of, const kube::WatchOptions& options,
                                                OnEvent on_event) {
  RequestInfo info = info_of(of, "watch");
  const bool initial = options.sends_initial_events;
  info.query = Query::of({{"labelSelector", options.label_selector},
                          {"fieldSelector", options.field_selector},
                          {"resourceVersion", options.resource_version},
                          {"allowWatchBookmarks", flag(options.allows_bookmarks || initial)},
                          {"sendInitialEvents", flag(initial)},
                          {"resourceVersionMatch", initial ? "NotOlderThan" : ""}});
  const auto planned = [&]() -> Answer<LocalWatchPlan> {
    const Answer<Call> call = open(info);
    if (!call) return refuse(call.error());
    const Answer<ListOptions> read = read_list_options(info.query, true);
    if (!read) return refuse(read.error());
    Answer<Selection> selection = Selection::read(*call->served, *read);
    if (!selection) return refuse(selection.error());
    Answer<WatchStream::Plan> plan =
        plan_watch(*read, *call->served, call->name_space, *selection, context_.store, context_.rng);
    if (!plan) return refuse(plan.error());
    return LocalWatchPlan{call->served, std::move(*selection), std::move(*plan)};
  };
  return watch_here(context_, planned(), std::move(on_event));
}

}  // namespace loadline::apiserver
