#include "hosts/operators/kuberay/ray_services.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/operators/kuberay/ray_pod.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

Value as_object(const kube::StringMap& entries) {
  Object object;
  for (const auto& [name, value] : entries) object.push_back({name, Value(value), {}});
  return Value(std::move(object));
}

Value texts_of(std::initializer_list<std::string_view> all) {
  Array values;
  for (const std::string_view each : all) values.emplace_back(each);
  return Value(std::move(values));
}

Value owned(const kube::RayCluster& view, std::string_view version, std::string_view kind, std::string_view name,
            Value labels) {
  const Value owner = controllers::controller_reference(watching::kind_name<kube::RayCluster>(), view.metadata);
  return Value(Object{{"apiVersion", Value(version), {}},
                      {"kind", Value(kind), {}},
                      {"metadata",
                       Value(Object{{"name", Value(name), {}},
                                    {"namespace", Value(view.metadata.namespace_), {}},
                                    {"labels", std::move(labels), {}},
                                    {"ownerReferences", Value(Array{owner}), {}}}),
                       {}}});
}

/// The ports of the head's Ray container, or Ray's own, by name.
std::map<std::string, std::int64_t> ports_of_head(const kube::RayCluster& view) {
  std::map<std::string, std::int64_t> ports;
  for (const kube::ContainerPort& port : view.spec.head.template_.spec->containers.front().ports) {
    const std::string name = port.name.empty() ? std::to_string(port.container_port) + "-port" : port.name;
    ports[name] = port.container_port;
  }
  if (ports.empty()) {
    ports = {{"client", 10001}, {"gcs-server", 6379}, {"dashboard", 8265}, {"metrics", 8080}, {"serve", 8000}};
  }
  ports.try_emplace("metrics", 8080);
  return ports;
}

Array service_ports_of_head(const kube::RayCluster& view) {
  Array ports;
  for (const auto& [name, number] : ports_of_head(view)) {
    ports.push_back(
        Value(Object{{"name", Value(name), {}}, {"port", Value(number), {}}, {"appProtocol", Value("tcp"), {}}}));
  }
  return ports;
}

/// The author's service, with what KubeRay will not have otherwise.
Value completed_service(Value service, const kube::RayCluster& view, const Value& labels, const Value& annotations) {
  const auto merge = [&](std::string_view field, const Value& more) {
    Value all = document::value_at(service, {"metadata", field});
    if (!all.is_object()) all = Value(Object{});
    for (const auto& [name, value, mark] : more.object()) all = std::move(all).with(name, value);
    service = document::with_at(std::move(service), {"metadata", field}, std::move(all));
  };
  merge("labels", labels);
  merge("annotations", annotations);
  if (document::text_at(service, {"metadata", "name"}).empty()) {
    service = document::with_at(std::move(service), {"metadata", "name"}, Value(workloads::head_service_name(view)));
  }
  service = document::with_at(std::move(service), {"metadata", "namespace"}, Value(view.metadata.namespace_));
  service = document::with_at(std::move(service), {"spec", "selector"}, labels);
  Array ports = document::items_at(service, {"spec", "ports"});
  for (Value& port : service_ports_of_head(view)) ports.push_back(std::move(port));
  service = document::with_at(std::move(service), {"spec", "ports"}, Value(std::move(ports)));
  const std::string& type = view.spec.head.service_type;
  if (document::text_at(service, {"spec", "type"}).empty() && !type.empty()) {
    service = document::with_at(std::move(service), {"spec", "type"}, Value(type));
  }
  const Value owner = controllers::controller_reference(watching::kind_name<kube::RayCluster>(), view.metadata);
  service = document::with_at(std::move(service), {"metadata", "ownerReferences"}, Value(Array{owner}));
  return std::move(service).with("apiVersion", Value("v1")).with("kind", Value("Service"));
}

Value access_labels(const kube::RayCluster& view) {
  return as_object({{std::string(kube::kRayCluster), view.metadata.name},
                    {"app.kubernetes.io/name", "kuberay"},
                    {"app.kubernetes.io/created-by", "kuberay-operator"}});
}

}  // namespace

Value ray_head_service(const kube::RayCluster& view, const Value& cluster) {
  const Value selector = as_object(workloads::services_of(view).front().selector);
  Value annotations = document::value_at(cluster, {"spec", "headServiceAnnotations"});
  if (!annotations.is_object()) annotations = Value(Object{});
  const Value* own = document::find_at(cluster, {"spec", "headGroupSpec", "headService"});
  if (own != nullptr && own->is_object()) return completed_service(*own, view, selector, annotations);
  Object spec{{"selector", selector, {}}, {"ports", Value(service_ports_of_head(view)), {}}};
  const std::string& type = view.spec.head.service_type;
  if (!type.empty()) spec.push_back({"type", Value(type), {}});
  if (type.empty() || type == "ClusterIP") {  // there is one head, whose address is that of the service
    spec.push_back({"clusterIP", Value("None"), {}});
    spec.push_back({"publishNotReadyAddresses", Value(true), {}});
  }
  Value service =
      owned(view, "v1", "Service", workloads::head_service_name(view), selector).with("spec", Value(std::move(spec)));
  if (annotations.object().empty()) return service;
  return document::with_at(std::move(service), {"metadata", "annotations"}, annotations);
}

bool needs_headless_service(const kube::RayCluster& view) {
  return std::ranges::any_of(view.spec.worker_groups,
                             [](const kube::RayWorkerGroup& group) { return group.hosts_per_replica > 1; });
}

Value ray_headless_service(const kube::RayCluster& view) {
  const std::string& name = view.metadata.name;
  Object spec{{"clusterIP", Value("None"), {}},
              {"type", Value("ClusterIP"), {}},
              {"publishNotReadyAddresses", Value(true), {}},
              {"selector",
               as_object({{std::string(kube::kRayCluster), name},
                          {std::string(kube::kRayNodeType), std::string(workloads::kRayWorker)}}),
               {}}};
  return owned(view, "v1", "Service", name + "-headless", as_object({{std::string(kube::kRayHeadlessService), name}}))
      .with("spec", Value(std::move(spec)));
}

bool needs_serve_service(const kube::RayCluster& view) {
  const auto wanted = view.metadata.annotations.find(kube::kRayServeService);
  return wanted != view.metadata.annotations.end() && wanted->second == "true";
}

Value ray_serve_service(const kube::RayCluster& view, const Value& cluster) {
  const std::string& name = view.metadata.name;
  Array ports;
  for (const auto& [port, number] : ports_of_head(view)) {
    if (port != "serve" && !port.starts_with("serve-")) continue;
    ports.push_back(Value(Object{{"name", Value(port), {}}, {"port", Value(number), {}}}));
  }
  if (ports.empty()) return {};
  Object spec{{"selector", as_object({{std::string(kube::kRayCluster), name}}), {}},
              {"ports", Value(std::move(ports)), {}}};
  const std::string_view type = document::text_at(cluster, {"spec", "headGroupSpec", "serviceType"});
  if (!type.empty()) spec.push_back({"type", Value(type), {}});
  return owned(view, "v1", "Service", name + "-serve-svc",
               as_object({{"ray.io/originated-from-cr-name", name},
                          {"ray.io/originated-from-crd", "RayCluster"},
                          {"ray.io/serve", name + "-serve"}}))
      .with("spec", Value(std::move(spec)));
}

Value ray_account(const kube::RayCluster& view) {
  return owned(view, "v1", "ServiceAccount", checked_ray_name(ray_head_account(view)), access_labels(view));
}

Value ray_role(const kube::RayCluster& view) {
  const auto rule = [](std::string_view group, std::string_view resource,
                       std::initializer_list<std::string_view> verbs) {
    return Value(Object{
        {"apiGroups", texts_of({group}), {}}, {"resources", texts_of({resource}), {}}, {"verbs", texts_of(verbs), {}}});
  };
  return owned(view, "rbac.authorization.k8s.io/v1", "Role", checked_ray_name(view.metadata.name), access_labels(view))
      .with("rules", Value(Array{rule("", "pods", {"get", "list", "watch", "patch"}),
                                 rule("", "pods/resize", {"patch"}), rule("ray.io", "rayclusters", {"get", "patch"})}));
}

Value ray_role_binding(const kube::RayCluster& view) {
  const Value account(Object{{"kind", Value("ServiceAccount"), {}},
                             {"name", Value(checked_ray_name(ray_head_account(view))), {}},
                             {"namespace", Value(view.metadata.namespace_), {}}});
  const Value role(Object{{"apiGroup", Value(kRbac), {}},
                          {"kind", Value("Role"), {}},
                          {"name", Value(checked_ray_name(view.metadata.name)), {}}});
  return owned(view, "rbac.authorization.k8s.io/v1", "RoleBinding", checked_ray_name(view.metadata.name),
               access_labels(view))
      .with("subjects", Value(Array{account}))
      .with("roleRef", role);
}

}  // namespace loadline::operators
