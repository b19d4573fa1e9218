#include "objects/kube/core/namespace.h"
#include "objects/kube/core/pod_validation.h"
#include "objects/kube/core/resource_validation.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/service_account.h"
#include "objects/kube/core/taint_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::size_t kMaxConfigMapBytes = std::size_t{1024} * 1024;

void validate_amounts(FieldReport& report, const Path& at, const ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) validate_quantity(report, Path(at, name), name, amount);
}

void validate_features(FieldReport& report, const Path& at, const std::vector<std::string>& features) {
  for (std::size_t i = 1; i < features.size(); ++i) {
    if (features[i - 1] == features[i]) {
      report.duplicate(Path::element(at, i), features[i]);
    } else if (features[i - 1] > features[i]) {
      report.invalid(Path::element(at, i), features[i], "list must be sorted alphabetically");
    }
  }
}

}  // namespace

FieldErrors validate(const Node& node) {
  FieldReport report;
  validate_metadata(report, node.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  // Upstream says metadata.taints, by mistake.
  validate_taints(report, Path(spec, "taints"), node.taints);
  const Path status(root, "status");
  validate_amounts(report, Path(status, "capacity"), node.capacity);
  validate_amounts(report, Path(status, "allocatable"), node.allocatable);
  validate_features(report, Path(status, "declaredFeatures"), node.declared_features);
  return report.take();
}

FieldErrors validate(const Namespace& name_space) {
  FieldReport report;
  validate_metadata(report, name_space.metadata, NamespaceRule::kForbidden, dns_label_problems);
  return report.take();
}

FieldErrors validate(const Service& service) {
  FieldReport report;
  validate_metadata(report, service.metadata, NamespaceRule::kRequired, dns_1035_label_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_labels(report, Path(spec, "selector"), service.selector);
  if (service.type != "ClusterIP" && service.type != "NodePort" && service.type != "LoadBalancer" &&
      service.type != "ExternalName") {
    report.unsupported(Path(spec, "type"), service.type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  }
  return report.take();
}

FieldErrors validate(const ServiceAccount& account) {
  FieldReport report;
  validate_metadata(report, account.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  return report.take();
}

FieldErrors validate(const ConfigMap& config_map) {
  FieldReport report;
  validate_metadata(report, config_map.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path data(root, "data");
  std::size_t bytes = 0;
  for (const auto& [key, value] : config_map.data) {
    report.invalid_name(Path::key(data, key), key, config_map_key_problems(key));
    bytes += value.size();
  }
  if (bytes > kMaxConfigMapBytes) report.too_long(root, kMaxConfigMapBytes);
  return report.take();
}

FieldErrors validate(const ReplicationController& controller) {
  FieldReport report;
  validate_metadata(report, controller.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const PodTemplateSpec& pod_template = controller.template_;
  if (controller.selector.empty()) {
    report.required(Path(spec, "selector"), {},
                    "give template.metadata.labels, for example app: " + controller.metadata.name);
  }
  report.not_negative(Path(spec, "replicas"), controller.replicas);
  const Path place(spec, "template");
  if (!controller.selector.empty() && !matches(LabelSelector{controller.selector, {}}, pod_template.metadata.labels)) {
    const Path metadata(place, "metadata");
    report.invalid_json(Path(metadata, "labels"), to_json(pod_template.metadata.labels),
                        "`selector` does not match template `labels`");
  }
  validate_pod_template(report, place, pod_template);
  validate_long_running(report, place, *pod_template.spec, "ReplicationController");
  return report.take();
}

}  // namespace loadline::kube
