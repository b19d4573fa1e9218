#include "server/apiserver/http/metrics_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/http/headers.h"
#include "server/apiserver/http/media_type.h"
#include "server/apiserver/http/responder.h"
#include "server/apiserver/resources/selection.h"

namespace loadline::apiserver {

using document::Array;
using document::Object;
using document::Value;

/// One of the two kinds: the objects of another resource, by what they use.
struct MetricsApi::Kind {
  std::string_view plural;
  std::string_view kind;
  std::string_view called;  ///< in failures
  bool is_namespaced;
};

namespace {

constexpr std::string_view kMetricsVersion = "v1beta1";
constexpr std::string_view kApiVersion = "metrics.k8s.io/v1beta1";

Value usage_document(const Usage& usage) {
  return Value(Object{{"cpu", Value(usage.cpu.to_string()), {}}, {"memory", Value(usage.memory.to_string()), {}}});
}

/// A duration as metav1 writes it: "15s", "1m0s".
std::string duration_text(Duration window) {
  const std::int64_t seconds = window.nanoseconds / 1'000'000'000;
  return seconds < 60 ? fmt::format("{}s", seconds) : fmt::format("{}m{}s", seconds / 60, seconds % 60);
}

Value metadata_of(const Value& object, Instant now) {
  Object members;
  for (const std::string_view member : {"name", "namespace"}) {
    if (const Value* value = document::find_at(object, {"metadata", member})) {
      members.push_back({std::string(member), *value, {}});
    }
  }
  members.push_back({"creationTimestamp", Value(format_rfc3339(now)), {}});
  if (const Value* labels = document::find_at(object, {"metadata", "labels"})) {
    members.push_back({"labels", *labels, {}});
  }
  return Value(std::move(members));
}

Object measured(Value metadata, Instant at, Duration window) {
  return {{"metadata", std::move(metadata), {}},
          {"timestamp", Value(format_rfc3339(at)), {}},
          {"window", Value(duration_text(window)), {}}};
}

void respond(net::Exchange& exchange, const RequestInfo& info, std::string_view kind, Object members) {
  const Answer<Representation> wanted = negotiate(
      header(exchange.request(), "Accept"), wants_pretty(info.query, header(exchange.request(), "User-Agent")), false);
  if (!wanted) return respond_failure(exchange, wanted.error());
  Object whole{{"kind", Value(kind), {}}, {"apiVersion", Value(kApiVersion), {}}};
  whole.insert(whole.end(), members.begin(), members.end());
  const Value document(std::move(whole));
  net::Headers headers = answer_headers({});
  const bool is_yaml = wanted->format == Format::kYaml;
  headers.add("Content-Type", is_yaml ? "application/yaml" : "application/json");
  const auto style =
      wanted->format == Format::kIndentedJson ? document::JsonStyle::kIndented : document::JsonStyle::kCompact;
  exchange.respond({200, std::move(headers),
                    is_yaml ? document::write_yaml(document) : document::write_json(document, style) + '\n'});
}

}  // namespace

const std::array<MetricsApi::Kind, 2>& MetricsApi::kinds() {
  static constexpr std::array<Kind, 2> kKinds = {{
      {"nodes", "NodeMetrics", "nodemetrics", false},
      {"pods", "PodMetrics", "podmetrics", true},
  }};
  return kKinds;
}

MetricsApi::MetricsApi(const ServerContext& context) : context_(context) {
  for (const Kind& kind : kinds()) {
    std::shared_ptr<const schema::Resource> resource = context.catalog.find(kGroup, kMetricsVersion, kind.plural);
    if (resource == nullptr) continue;
    resources_.push_back(std::move(resource));
    context.catalog.remove(kGroup, kind.plural);
  }
}

void MetricsApi::set_source(const UsageSource* source) {
  const bool was_served = source_ != nullptr;
  source_ = source;
  if (was_served == (source != nullptr)) return;
  for (const std::shared_ptr<const schema::Resource>& resource : resources_) {
    if (was_served) {
      context_.catalog.remove(kGroup, resource->plural);
    } else {
      context_.catalog.add(resource);
    }
  }
}

void MetricsApi::handle(net::Exchange& exchange, const RequestInfo& info) const {
  const auto kind = std::find_if(kinds().begin(), kinds().end(), [&](const Kind& each) {
    return each.plural == info.resource && info.version == kMetricsVersion && info.subresource.empty();
  });
  if (kind == kinds().end() || source_ == nullptr) return respond_failure(exchange, no_such_resource());
  source_->hold_still([&] {
    if (info.verb == "get") return get(exchange, info, *kind);
    if (info.verb == "list") return list(exchange, info, *kind);
    respond_failure(exchange, method_not_allowed());
  });
}

std::optional<Object> MetricsApi::metrics_of(const Kind& kind, const store::Object& object) const {
  const Value metadata = metadata_of(object.document(), context_.loop.now());
  if (!kind.is_namespaced) {
    const std::optional<NodeUsage> node = source_->node(object.name());
    if (!node) return std::nullopt;
    Object members = measured(metadata, node->at, node->window);
    members.push_back({"usage", usage_document(node->usage), {}});
    return members;
  }
  const std::optional<PodUsage> pod = source_->pod(object.name_space(), object.name());
  if (!pod) return std::nullopt;
  Array containers;
  for (const auto& [name, usage] : pod->containers) {
    containers.emplace_back(Object{{"name", Value(name), {}}, {"usage", usage_document(usage), {}}});
  }
  Object members = measured(metadata, pod->at, pod->window);
  members.push_back({"containers", Value(std::move(containers)), {}});
  return members;
}

void MetricsApi::get(net::Exchange& exchange, const RequestInfo& info, const Kind& kind) const {
  const std::string name_space = kind.is_namespaced ? info.name_space : std::string();
  const store::ObjectPtr object = context_.store.get({std::string(kind.plural), name_space, info.name});
  const std::optional<Object> metrics = object == nullptr ? std::nullopt : metrics_of(kind, *object);
  if (!metrics) {
    const std::string shown = kind.is_namespaced ? info.name_space + "/" + info.name : info.name;
    return respond_failure(exchange, not_found({std::string(kGroup), std::string(kind.called)}, shown));
  }
  respond(exchange, info, kind.kind, *metrics);
}

void MetricsApi::list(net::Exchange& exchange, const RequestInfo& info, const Kind& kind) const {
  const Answer<ListOptions> options = read_list_options(info.query, false);
  if (!options) return respond_failure(exchange, options.error());
  const std::shared_ptr<const ServedResource> served = context_.served.find_stored("", kind.plural);
  const Answer<Selection> selection = Selection::read(*served, *options);
  if (!selection) return respond_failure(exchange, selection.error());
  store::ListOptions scope;
  if (!info.name_space.empty()) scope.name_space = info.name_space;
  store::StoreResult<store::Listing> listing = context_.store.list(kind.plural, scope);
  if (!listing) return respond_failure(exchange, internal_error(listing.error().message));
  Array items;
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    if (!selection->matches(**object, *served)) continue;
    if (std::optional<Object> metrics = metrics_of(kind, **object)) items.emplace_back(std::move(*metrics));
  }
  respond(exchange, info, std::string(kind.kind) + "List",
          {{"metadata", Value(Object()), {}}, {"items", Value(std::move(items)), {}}});
}

}  // namespace loadline::apiserver
