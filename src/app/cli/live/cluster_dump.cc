#include "app/cli/live/cluster_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::cli {
namespace {

using document::Value;

/// Groups of what is computed, or kept up by the API server itself.
constexpr std::array<std::string_view, 7> kComputedGroups = {
    "metrics.k8s.io",        "custom.metrics.k8s.io", "apiregistration.k8s.io", "flowcontrol.apiserver.k8s.io",
    "authentication.k8s.io", "authorization.k8s.io",  "events.k8s.io"};

bool has_verb(const Value& resource, std::string_view verb) {
  const Value* verbs = resource.find("verbs");
  return verbs != nullptr && verbs->is_array() && std::ranges::any_of(verbs->array(), [&](const Value& each) {
           return each.is_string() && each.string() == verb;
         });
}

/// The paths of the collections that a snapshot keeps, in the order of discovery: not what APIs compute, nor events and
/// Leases.
class Collections {
 public:
  explicit Collections(ClusterApi& api) : api_(api) {}

  ApiResult<std::vector<std::string>> find() {
    if (ApiResult<void> added = add_version("/api/v1"); !added) return tl::unexpected(added.error());
    const ApiResult<Value> groups = api_.get("/apis");
    if (!groups) return tl::unexpected(groups.error());
    const Value* list = groups->find("groups");
    if (list == nullptr || !list->is_array()) return std::move(paths_);
    for (const Value& group : list->array()) {
      const std::string_view name = document::text_at(group, {"name"});
      if (std::ranges::find(kComputedGroups, name) != kComputedGroups.end()) continue;
      const std::string_view version = document::text_at(group, {"preferredVersion", "groupVersion"});
      if (ApiResult<void> added = add_version(fmt::format("/apis/{}", version)); !added) {
        return tl::unexpected(added.error());
      }
    }
    return std::move(paths_);
  }

 private:
  ApiResult<void> add_version(const std::string& path) {
    const ApiResult<Value> found = api_.get(path);
    // A group whose server is away says so; the rest is worth having.
    if (!found && found.error().status != 0) return {};
    if (!found) return tl::unexpected(found.error());
    const Value* resources = found->find("resources");
    if (resources == nullptr || !resources->is_array()) return {};
    for (const Value& resource : resources->array()) {
      const std::string_view name = document::text_at(resource, {"name"});
      const bool is_kept = has_verb(resource, "list") && has_verb(resource, "create") &&
                           name.find('/') == std::string_view::npos && name != "events" && name != "leases";
      if (is_kept) paths_.push_back(fmt::format("{}/{}", path, name));
    }
    return {};
  }

  ClusterApi& api_;
  std::vector<std::string> paths_;
};

Value cleaned(Value object) {
  for (const std::string_view member : {"managedFields", "resourceVersion", "selfLink"}) {
    object = document::without_at(std::move(object), {"metadata", member});
  }
  return object;
}

}  // namespace

bool is_of_every_cluster(const Value& object) {
  constexpr std::array<std::string_view, 6> kKinds = {"Event",       "Lease",      "APIService",
                                                      "NodeMetrics", "PodMetrics", "ComponentStatus"};
  const std::string_view kind = document::text_at(object, {"kind"});
  const std::string_view name = document::text_at(object, {"metadata", "name"});
  const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
  if (std::ranges::find(kKinds, kind) != kKinds.end()) return true;
  if (kind == "ConfigMap") return name == "kube-root-ca.crt" || name == "extension-apiserver-authentication";
  if (kind == "PriorityClass") return name.starts_with("system-");
  if (kind == "Service" || kind == "Endpoints") return name == "kubernetes" && name_space == "default";
  if (kind == "EndpointSlice") return name.starts_with("kubernetes") && name_space == "default";
  if (kind == "ServiceCIDR") return name == "kubernetes";
  return document::find_at(object, {"metadata", "labels", "kubernetes.io/bootstrapping"}) != nullptr;
}

ApiResult<std::vector<Value>> dump_cluster(ClusterApi& api) {
  ApiResult<std::vector<std::string>> paths = Collections(api).find();
  if (!paths) return tl::unexpected(paths.error());
  std::vector<Value> objects;
  for (const std::string& path : *paths) {
    ApiResult<std::vector<Value>> found = api.list(path);
    if (!found && found.error().status == ApiProblem::kNotFound) continue;  // a custom kind that has just gone
    if (!found) return tl::unexpected(found.error());
    for (Value& object : *found) {
      if (!is_of_every_cluster(object)) objects.push_back(cleaned(std::move(object)));
    }
  }
  return objects;
}

}  // namespace loadline::cli
