#include "server/apiserver/http/request_metrics.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/observe/stopwatch.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";
constexpr std::string_view kOpenPaths[] = {"/healthz", "/livez", "/readyz", "/metrics", "/version"};
constexpr std::string_view kConnects[] = {"attach", "exec", "log", "portforward", "proxy"};

template <std::size_t size>
bool contains(const std::string_view (&words)[size], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Source: CleanVerb in k8s.io/apiserver/pkg/endpoints/metrics/metrics.go, v0.36.
std::string_view verb_label(const net::Request& request, const RequestInfo& info) {
  if (info.is_resource && contains(kConnects, info.subresource)) return "CONNECT";
  for (const auto& [verb, label] :
       {std::pair("get", "GET"), std::pair("list", "LIST"), std::pair("watch", "WATCH"), std::pair("create", "POST"),
        std::pair("update", "PUT"), std::pair("delete", "DELETE"), std::pair("deletecollection", "DELETE")}) {
    if (info.verb == verb) return label;
  }
  if (info.verb == "head") return "GET";
  if (info.verb != "patch") return "other";
  const std::string* type = request.headers.find("Content-Type");
  return type != nullptr && *type == kApplyPatch ? "APPLY" : "PATCH";
}

std::string_view scope_label(const RequestInfo& info) {
  if (!info.is_resource) return "";
  if (!info.name.empty() || info.verb == "create") return "resource";
  return info.name_space.empty() ? "cluster" : "namespace";
}

}  // namespace

observe::RequestLabels RequestMetrics::labels_of(const net::Request& request, const RequestInfo& info) const {
  observe::RequestLabels labels;
  labels.verb = verb_label(request, info);
  labels.scope = scope_label(info);
  if (!info.is_resource) {
    if (contains(kOpenPaths, info.path)) labels.subresource = info.path;
    return labels;
  }
  // What is not served has no labels of its own: clients could make up any number of them.
  const auto served = served_.find(info.group, info.version, info.resource, ServedResources::Use::kReading);
  if (served == nullptr) return labels;
  labels.group = info.group;
  labels.version = info.version;
  labels.resource = info.resource;
  if (served->resource->find_subresource(info.subresource) != nullptr) labels.subresource = info.subresource;
  labels.is_dry_run = info.query.has("dryRun");
  return labels;
}

/// What a line about a request needs, after the request is gone.
struct RequestMetrics::Told {
  std::shared_ptr<observe::Log> log;
  std::string verb;
  std::string path;

  void tell(int status) const {
    const bool is_ours = status >= 500;
    const observe::LogLevel level = is_ours ? observe::LogLevel::kWarning : observe::LogLevel::kDebug;
    if (!log->takes(level)) return;
    log->write(level, "apiserver", is_ours ? "Request failed" : "Request",
               {{"verb", verb}, {"path", path}, {"code", std::to_string(status)}});
  }
};

void RequestMetrics::follow(net::Exchange& exchange, const RequestInfo& info) {
  observe::Metrics::Requests& requests = metrics_->requests(labels_of(exchange.request(), info));
  requests.begin();
  const observe::Stopwatch begun;
  exchange.on_over([&requests, begun, keep = metrics_, told = told_of(info)](int status) {
    requests.end(status, begun.seconds());
    if (told != nullptr) told->tell(status);
  });
}

std::shared_ptr<const RequestMetrics::Told> RequestMetrics::told_of(const RequestInfo& info) const {
  // A probe that comes too early is told so: nothing failed.
  if (log_ == nullptr || !info.is_resource) return nullptr;
  return std::make_shared<const Told>(Told{log_, info.verb, info.path});
}

std::string metrics_text(observe::Metrics& metrics, const store::Store& store) {
  const std::vector<std::string> names = store.resources();
  std::vector<observe::ObjectCount> objects;
  for (const std::string_view name : names) {
    const std::size_t dot = name.find('.');
    const std::string_view group = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
    objects.push_back({group, name.substr(0, dot), store.count(name)});
  }
  return metrics.text(objects);
}

}  // namespace loadline::apiserver
