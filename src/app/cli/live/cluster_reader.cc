#include "app/cli/live/cluster_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "app/cli/live/discovery.h"
#include "foundation/document/at.h"
#include "hosts/operators/mpi_job_version.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/readable_versions.h"
#include "objects/kube/registry.h"

namespace loadline::cli {
namespace {

using document::Value;

/// Groups of what is computed, or kept up by the API server itself; and one whose objects have other groups by now.
constexpr std::array<std::string_view, 8> kPassedOver = {
    "metrics.k8s.io",        "custom.metrics.k8s.io", "apiregistration.k8s.io", "flowcontrol.apiserver.k8s.io",
    "authentication.k8s.io", "authorization.k8s.io",  "events.k8s.io",          "extensions"};

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

/// A kind whose objects are to be listed.
struct Collection {
  std::vector<ServedResource> versions;  ///< one, or, where it is not known which are served, those that may be
  const kube::KindInfo* info = nullptr;  ///< null: no decision reads it
  bool is_served = true;                 ///< for certain
};

/// What there is to list.
class Collections {
 public:
  explicit Collections(ClusterApi& api) : discovery_(api) {}

  ApiResult<std::vector<Collection>> find(Extent extent) {
    const ApiResult<void> begun = discovery_.begin();
    // Who may not ask what is served can still ask for what may be.
    const bool can_guess = extent == Extent::kDecisions && !begun && begun.error().status == ApiProblem::kForbidden;
    if (!begun && !can_guess) return tl::unexpected(begun.error());
    add_known_kinds();
    if (extent == Extent::kCluster) add_other_kinds();
    return std::move(collections_);
  }

 private:
  void add_known_kinds() {
    std::set<std::size_t> seen;  // a kind has a row for each of its versions
    for (const kube::KindInfo& info : kube::known_kinds()) {
      if (!seen.insert(info.number).second) continue;
      Collection collection = collection_of(info);
      if (!collection.versions.empty()) collections_.push_back(std::move(collection));
    }
  }

  Collection collection_of(const kube::KindInfo& info) {
    Collection collection;
    collection.info = &info;
    for (const std::string_view version : kube::readable_versions(info)) {
      ServedResource resource{std::string(version), std::string(info.kind), std::string(info.plural), true};
      taken_.insert({std::string(group_of(version)), resource.plural});
      const auto& served = discovery_.resources(version);
      if (!served) {
        collection.is_served = false;
        collection.versions.push_back(std::move(resource));
      } else if (std::ranges::find(*served, info.plural, &ServedResource::plural) != served->end()) {
        collection.versions.push_back(std::move(resource));
        break;  // none that comes later is wanted
      }
    }
    return collection;
  }

  void add_other_kinds() {
    for (const std::string& version : discovery_.versions()) {
      const std::string_view group = group_of(version);
      if (std::ranges::find(kPassedOver, group) != kPassedOver.end()) continue;
      const auto& served = discovery_.resources(version);
      if (!served) continue;  // a group whose server is away says so; the rest is worth having
      for (const ServedResource& resource : *served) {
        const bool is_kept = resource.can_be_created && resource.plural != "events" && resource.plural != "leases";
        // The preferred version of a group comes first, and what only others serve after it.
        if (!is_kept || !taken_.insert({std::string(group), resource.plural}).second) continue;
        collections_.push_back({{resource}});
      }
    }
  }

  Discovery discovery_;
  std::set<std::pair<std::string, std::string>> taken_;  // group and plural
  std::vector<Collection> collections_;
};

Value cleaned(Value object) {
  for (const std::string_view member : {"managedFields", "resourceVersion", "selfLink"}) {
    object = document::without_at(std::move(object), {"metadata", member});
  }
  return object;
}

class Reader {
 public:
  Reader(ClusterApi& api, const ClusterReadingOptions& options, const TakeObject& take)
      : api_(api), options_(options), take_(take) {}

  ApiResult<ClusterReading> read() {
    const ApiResult<std::vector<Collection>> collections = Collections(api_).find(options_.extent);
    if (!collections) return tl::unexpected(collections.error());
    for (const Collection& collection : *collections) {
      const std::size_t before = reading_.objects;
      if (const ApiResult<void> done = read(collection); !done) return tl::unexpected(done.error());
      if (reading_.objects > before) ++reading_.kinds;
    }
    return std::move(reading_);
  }

 private:
  ApiResult<void> read(const Collection& collection) {
    for (const ServedResource& version : collection.versions) {
      const ApiResult<void> listed = list(version, collection.info == nullptr);
      if (listed) return {};
      const ApiProblem& problem = listed.error();
      if (problem.status == ApiProblem::kNotFound) continue;  // another version, or a custom kind that has just gone
      if (problem.status != ApiProblem::kForbidden || !can_do_without(collection)) return listed;
      // Who may do little is forbidden to ask for kinds, too, that the cluster does not even have.
      const bool may_not_be_there = !collection.is_served && collection.info->is_custom;
      if (!may_not_be_there) reading_.withheld.push_back(problem.message);
      return {};
    }
    return {};
  }

  [[nodiscard]] bool can_do_without(const Collection& collection) const {
    return options_.extent == Extent::kDecisions && collection.info->kind != "Node" && collection.info->kind != "Pod";
  }

  ApiResult<void> list(const ServedResource& resource, bool leaves_out_the_usual) {
    std::size_t done = 0;
    return api_.list(resource.path(), [&](ListPage page) -> ApiResult<void> {
      done += page.items.size();
      for (Value& object : page.items) {
        if (leaves_out_the_usual && is_of_every_cluster(object)) continue;
        const Result<void> taken = take(cleaned(as_it_was_written(std::move(object))));
        if (!taken) return tl::unexpected(ApiProblem{.message = taken.error().message});
      }
      if (options_.progress) options_.progress(resource.plural, done, done + page.remaining);
      return {};
    });
  }

  /// An MPIJob of another version is another operator's, with other fields; an API server that has both versions tells
  /// each job in either.
  Value as_it_was_written(Value object) {
    const bool is_mpi_job = document::text_at(object, {"kind"}) == kube::kind_of<kube::MpiJob>().kind;
    if (!is_mpi_job || operators::is_of_mpi_operator(object)) return object;
    const ApiResult<Value> written = api_.get(fmt::format("/apis/kubeflow.org/v1/namespaces/{}/mpijobs/{}",
                                                          document::text_at(object, {"metadata", "namespace"}),
                                                          document::text_at(object, {"metadata", "name"})));
    return written ? *written : object;
  }

  Result<void> take(const Value& object) {
    const auto number = static_cast<std::uint32_t>(++reading_.objects);
    return take_(Value(document::Object(object.object()), {number, 1}));
  }

  ClusterApi& api_;
  const ClusterReadingOptions& options_;
  const TakeObject& take_;
  ClusterReading reading_;
};

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

ApiResult<ClusterReading> read_cluster(ClusterApi& api, const ClusterReadingOptions& options, const TakeObject& take) {
  return Reader(api, options, take).read();
}

}  // namespace loadline::cli
