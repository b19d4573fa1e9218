#include "app/cli/live/cluster_objects.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "app/cli/live/api.h"
#include "objects/kube/registry.h"

namespace loadline::cli {
namespace {

constexpr int kForbidden = 403;

Diagnostic problem(std::string message, Severity severity) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::string path_of(const kube::KindInfo& info) {
  const bool is_core = info.api_version.find('/') == std::string_view::npos;
  return fmt::format("/{}/{}/{}", is_core ? "api" : "apis", info.api_version, info.plural);
}

}  // namespace

std::vector<kube::SourceDocument> read_cluster(const AccessArguments& arguments, Diagnostics& diagnostics) {
  std::vector<kube::SourceDocument> documents;
  Result<ClusterApi> api = ClusterApi::open(arguments);
  if (!api) {
    diagnostics.push_back(problem(api.error().message, Severity::kError));
    return documents;
  }
  std::set<std::size_t> answered;  // kinds: a cluster may serve several versions of one
  for (const kube::KindInfo& info : kube::known_kinds()) {
    if (info.kind == "ConfigMap" || answered.contains(info.number)) continue;
    const std::string path = path_of(info);
    ApiResult<std::vector<document::Value>> objects = api->list(path);
    if (objects) {
      answered.insert(info.number);
      for (document::Value& object : *objects) documents.push_back({std::move(object), api->access().server + path});
      continue;
    }
    const int status = objects.error().status;
    if (status == ApiProblem::kNotFound) continue;
    // Who may do little is forbidden to ask for kinds that the cluster does not even have.
    if (status == kForbidden && info.is_custom) continue;
    const bool can_do_without = status == kForbidden && info.kind != "Node" && info.kind != "Pod";
    diagnostics.push_back(problem(objects.error().message, can_do_without ? Severity::kWarning : Severity::kError));
    if (!can_do_without) break;
  }
  return documents;
}

}  // namespace loadline::cli
