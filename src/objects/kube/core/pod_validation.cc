#include "objects/kube/core/pod_validation.h"

#include <charconv>
#include <limits>
#include <set>

#include "objects/kube/batch/batch.h"
#include "objects/kube/core/affinity_validation.h"
#include "objects/kube/core/container_validation.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/resource_validation.h"
#include "objects/kube/core/taint_validation.h"
#include "objects/kube/core/volume_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"
#include "objects/kube/workload_names.h"

namespace loadline::kube {
namespace {

/// Host ports follow container ports in a pod on the host's network; a template may leave them out.
enum class Stage : std::uint8_t { kPod, kTemplate };

bool is_deletion_cost(std::string_view text) {
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  return std::to_string(cost) == text || (text.starts_with('-') && text[1] == '0');
}

void validate_pod_annotations(FieldReport& report, const Path& at, const StringMap& annotations, const PodSpec& spec) {
  const auto mirror = annotations.find(kMirrorAnnotation);
  if (mirror != annotations.end() && spec.node_name.empty()) {
    report.invalid(Path::key(at, kMirrorAnnotation), mirror->second,
                   "must set spec.nodeName if mirror pod annotation is set");
  }
  const auto cost = annotations.find(kPodDeletionCost);
  if (cost != annotations.end() && !is_deletion_cost(cost->second)) {
    report.invalid(Path::key(at, kPodDeletionCost), cost->second, "must be a 32bit integer");
  }
}

void validate_resource_claims(FieldReport& report, const Path& at, const std::vector<PodResourceClaim>& claims) {
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const PodResourceClaim& claim = claims[i];
    const Path place = Path::element(at, i);
    if (claim.name.empty()) {
      report.required(Path(place, "name"));
    } else if (!names.insert(claim.name).second) {
      report.duplicate(Path(place, "name"), claim.name);
    } else {
      report.invalid_name(Path(place, "name"), claim.name, dns_label_problems(claim.name));
    }
    const auto as_json = [](const std::string& name) { return name.empty() ? std::string("null") : quoted(name); };
    const std::string json = "{\"Name\":" + quoted(claim.name) +
                             ",\"ResourceClaimName\":" + as_json(claim.resource_claim_name) +
                             ",\"ResourceClaimTemplateName\":" + as_json(claim.resource_claim_template_name) + "}";
    const bool by_name = !claim.resource_claim_name.empty();
    const bool by_template = !claim.resource_claim_template_name.empty();
    if (by_name && by_template) {
      report.invalid_json(place, json,
                          "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    if (!by_name && !by_template) {
      report.invalid_json(place, json, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    if (by_name) {
      report.invalid_name(Path(place, "resourceClaimName"), claim.resource_claim_name,
                          dns_subdomain_problems(claim.resource_claim_name));
    }
    if (by_template) {
      report.invalid_name(Path(place, "resourceClaimTemplateName"), claim.resource_claim_template_name,
                          dns_subdomain_problems(claim.resource_claim_template_name));
    }
  }
}

void validate_host_network(FieldReport& report, const Path& at, const PodSpec& spec, Stage stage) {
  if (!spec.host_network) return;
  const Path containers(at, "containers");
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Path container = Path::element(containers, i);
    const Path ports(container, "ports");
    for (std::size_t j = 0; j < spec.containers[i].ports.size(); ++j) {
      const ContainerPort& port = spec.containers[i].ports[j];
      if (port.host_port == port.container_port || (stage == Stage::kTemplate && port.host_port == 0)) continue;
      const Path place = Path::element(ports, j);
      report.invalid(Path(place, "hostPort"), port.host_port, "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void validate_gates(FieldReport& report, const Path& at, const std::vector<std::string>& gates) {
  std::set<std::string, std::less<>> seen;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const Path place = Path::element(at, i);
    report.invalid_name(place, gates[i], qualified_name_problems(gates[i]));
    if (!seen.insert(gates[i]).second) report.duplicate(place, gates[i]);
  }
}

void validate_subdomain(FieldReport& report, const Path& at, const std::string& name) {
  if (!name.empty()) report.invalid_name(at, name, dns_subdomain_problems(name));
}

void validate_references(FieldReport& report, const Path& at, const PodSpec& spec) {
  validate_subdomain(report, Path(at, "serviceAccountName"), spec.service_account_name);
  validate_subdomain(report, Path(at, "nodeName"), spec.node_name);
  constexpr std::int64_t kLongest = std::numeric_limits<std::int32_t>::max();
  if (const std::optional<std::int64_t> deadline = spec.active_deadline_seconds;
      deadline && (*deadline < 1 || *deadline > kLongest)) {
    report.invalid(Path(at, "activeDeadlineSeconds"), *deadline, range_problem(1, kLongest));
  }
  if (!spec.hostname.empty())
    report.invalid_name(Path(at, "hostname"), spec.hostname, dns_label_problems(spec.hostname));
  validate_tolerations(report, Path(at, "tolerations"), spec.tolerations);
  validate_subdomain(report, Path(at, "priorityClassName"), spec.priority_class_name);
  validate_subdomain(report, Path(at, "runtimeClassName"), spec.runtime_class_name);
  validate_overhead(report, Path(at, "overhead"), spec.overhead);
}

void validate_spec(FieldReport& report, const Path& at, const PodSpec& spec, std::string_view pod_name, Stage stage) {
  if (!spec.termination_grace_period_seconds) report.required(Path(at, "terminationGracePeriodSeconds"));
  validate_volumes(report, Path(at, "volumes"), spec.volumes, pod_name);
  validate_resource_claims(report, Path(at, "resourceClaims"), spec.resource_claims);
  validate_containers(report, at, spec);
  validate_pod_level_resources(report, Path(at, "resources"), spec);
  validate_host_network(report, at, spec, stage);
  validate_labels(report, Path(at, "nodeSelector"), spec.node_selector);
  if (spec.affinity) validate_affinity(report, Path(at, "affinity"), *spec.affinity);
  validate_gates(report, Path(at, "schedulingGates"), spec.scheduling_gates);
  validate_spread_constraints(report, Path(at, "topologySpreadConstraints"), spec.topology_spread_constraints);
  validate_references(report, at, spec);
}

void validate_trimmed_images(FieldReport& report, const Path& at, const std::vector<Container>& containers) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const std::string& image = containers[i].image;
    if (image.empty()) continue;
    if (kSpace.find(image.front()) == std::string_view::npos && kSpace.find(image.back()) == std::string_view::npos) {
      continue;
    }
    const Path place = Path::element(at, i);
    report.invalid(Path(place, "image"), image, "must not have leading or trailing whitespace");
  }
}

}  // namespace

void validate_pod_template(FieldReport& report, const Path& at, const PodTemplateSpec& pod_template) {
  validate_labels(report, Path(at, "labels"), pod_template.metadata.labels);
  const Path annotations(at, "annotations");
  validate_annotations(report, annotations, pod_template.metadata.annotations);
  validate_pod_annotations(report, annotations, pod_template.metadata.annotations, *pod_template.spec);
  validate_spec(report, Path(at, "spec"), *pod_template.spec, {}, Stage::kTemplate);
}

void validate_long_running(FieldReport& report, const Path& template_at, const PodSpec& spec, std::string_view kind) {
  const Path at(template_at, "spec");
  if (spec.restart_policy != RestartPolicy::kAlways) {
    report.unsupported(Path(at, "restartPolicy"), name_of(spec.restart_policy), {"Always"},
                       "leave restartPolicy out, or make it a Job if it is to end");
  }
  if (spec.active_deadline_seconds) {
    report.forbidden(Path(at, "activeDeadlineSeconds"),
                     "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
  }
}

FieldErrors validate(const Pod& pod) {
  FieldReport report;
  validate_metadata(report, pod.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path metadata(root, "metadata");
  validate_pod_annotations(report, Path(metadata, "annotations"), pod.metadata.annotations, *pod.spec);
  const Path spec(root, "spec");
  validate_spec(report, spec, *pod.spec, pod.metadata.name, Stage::kPod);
  validate_trimmed_images(report, Path(spec, "containers"), pod.spec->containers);
  validate_trimmed_images(report, Path(spec, "initContainers"), pod.spec->init_containers);
  if (!pod.spec->node_name.empty() && !pod.spec->scheduling_gates.empty()) {
    report.forbidden(Path(spec, "nodeName"), "cannot be set until all schedulingGates have been cleared");
  }
  return report.take();
}

}  // namespace loadline::kube
