#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/text.h"
#include "objects/kube/condition.h"
#include "objects/kube/field_report.h"
#include "objects/kube/kueue/node_terms_webhook.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/meta_validation.h"

namespace loadline::kube {
namespace {

constexpr std::size_t kLongestGate = 63;

// ---- pod sets ------------------------------------------------------------------------------------------------------

void check_amounts(FieldReport& report, const Path& at, const ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) {
    const Path place = Path::key(at, name);
    if (name == "pods") report.invalid(place, name, "the key is reserved for internal kueue use");
    if (amount.sign() < 0) report.invalid(place, amount.to_string(), "must be greater than or equal to 0");
  }
}

void check_resources(FieldReport& report, const Path& owner, const ResourceRequirements& resources) {
  const Path at(owner, "resources");
  check_amounts(report, Path(at, "requests"), resources.requests);
  check_amounts(report, Path(at, "limits"), resources.limits);
}

void check_containers(FieldReport& report, const Path& at, const std::vector<Container>& containers) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    check_resources(report, Path::element(at, i), containers[i].resources);
  }
}

void check_topology_request(FieldReport& report, const Path& at, const PodSetTopologyRequest& request) {
  constexpr std::string_view kPositive = "must be greater than 0";
  const Path size(at, "podSetSliceSize");
  if (request.slice_required_topology.empty()) {
    if (request.slice_size) {
      report.forbidden(size, "may not be set when podSetSliceRequiredTopology is not specified");
    }
  } else if (!request.slice_size) {
    report.required(size, "must be set when podSetSliceRequiredTopology is specified");
  } else if (*request.slice_size <= 0) {
    report.invalid(size, *request.slice_size, kPositive);
  }
  const Path layers(at, "podsetSliceRequiredTopologyConstraints");
  for (std::size_t i = 0; i < request.slice_constraints.size(); ++i) {
    const Path layer = Path::element(layers, i);
    const std::int32_t pods = request.slice_constraints[i].size;
    if (pods <= 0) report.invalid(Path(layer, "size"), pods, kPositive);
  }
}

void check_pod_set(FieldReport& report, const Path& at, const PodSet& pod_set) {
  const Path pod_template(at, "template");
  const Path metadata(pod_template, "metadata");
  validate_labels(report, Path(metadata, "labels"), pod_set.template_.metadata.labels);
  validate_annotations(report, Path(metadata, "annotations"), pod_set.template_.metadata.annotations);
  const PodSpec& pod = *pod_set.template_.spec;
  const Path spec(pod_template, "spec");
  check_containers(report, Path(spec, "initContainers"), pod.init_containers);
  check_containers(report, Path(spec, "containers"), pod.containers);
  if (pod.resources) check_resources(report, spec, *pod.resources);
  if (pod_set.topology_request) {
    check_topology_request(report, Path(at, "topologyRequest"), *pod_set.topology_request);
  }
}

bool is_elastic(const KueueWorkload& workload) {
  const auto annotation = workload.metadata.annotations.find(kElasticJobAnnotation);
  return annotation != workload.metadata.annotations.end() && annotation->second == "true";
}

void check_pod_sets(FieldReport& report, const Path& at, const KueueWorkload& workload) {
  std::int64_t variable = 0;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    check_pod_set(report, Path::element(at, i), workload.pod_sets[i]);
    if (workload.pod_sets[i].min_count) ++variable;
  }
  if (variable > 1) report.invalid(at, variable, "at most one podSet can use minCount");
  if (variable > 0 && is_elastic(workload)) {
    report.invalid(at, variable, "partial admission and elastic job cannot be used together");
  }
}

// ---- status --------------------------------------------------------------------------------------------------------

std::vector<std::string> names_of(const std::vector<PodSet>& pod_sets) {
  std::vector<std::string> names;
  for (const PodSet& pod_set : pod_sets) names.push_back(pod_set.name);
  return names;
}

const PodSet* find_pod_set(const KueueWorkload& workload, std::string_view name) {
  const auto found = std::ranges::find(workload.pod_sets, name, &PodSet::name);
  return found == workload.pod_sets.end() ? nullptr : &*found;
}

/// In the units in which Kueue counts a resource.
std::int64_t counted(std::string_view resource, const Quantity& amount) {
  return resource == "cpu" ? amount.milli_value() : amount.value();
}

void check_admission(FieldReport& report, const Path& at, const KueueWorkload& workload) {
  if (!has_true_condition(workload.status.conditions, "QuotaReserved")) return;
  if (!workload.status.admission) {
    return report.required(at, "must be set while the QuotaReserved condition is true");
  }
  const Path assignments(at, "podSetAssignments");
  const std::vector<PodSetAssignment>& given = workload.status.admission->pod_set_assignments;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Path place = Path::element(assignments, i);
    if (find_pod_set(workload, given[i].name) == nullptr) report.not_found(Path(place, "name"), given[i].name, {});
    const std::int64_t count = given[i].count.value_or(0);
    if (count <= 0) continue;
    const Path usage(place, "resourceUsage");
    for (const auto& [resource, amount] : given[i].resource_usage) {
      if (counted(resource, amount) % count == 0) continue;
      report.invalid(Path::key(usage, resource), amount.to_string(), "is not a multiple of " + std::to_string(count));
    }
  }
}

void check_reclaimable_pods(FieldReport& report, const Path& at, const KueueWorkload& workload) {
  for (const ReclaimablePods& pods : workload.status.reclaimable_pods) {
    const Path place = Path::key(at, pods.name);
    const PodSet* pod_set = find_pod_set(workload, pods.name);
    if (pod_set == nullptr) {
      report.unsupported(Path(place, "name"), pods.name, names_of(workload.pod_sets));
    } else if (pods.count > pod_set->count) {
      report.invalid(Path(place, "count"), pods.count, "should be less or equal to " + std::to_string(pod_set->count));
    }
  }
}

void check_pod_set_updates(FieldReport& report, const Path& at, const KueueWorkload& workload,
                           const std::vector<PodSetUpdate>& updates) {
  std::vector<std::string> names = names_of(workload.pod_sets);
  std::ranges::sort(names);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Path place = Path::element(at, i);
    const PodSetUpdate& update = updates[i];
    if (!std::ranges::binary_search(names, update.name)) report.unsupported(Path(place, "name"), update.name, names);
    check_toleration_keys(report, Path(place, "tolerations"), update.tolerations);
    validate_annotations(report, Path(place, "annotations"), update.annotations);
    validate_labels(report, Path(place, "nodeSelector"), update.node_selector);
    validate_labels(report, Path(place, "labels"), update.labels);
  }
}

// ---- gates ---------------------------------------------------------------------------------------------------------

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

bool is_path_letter(char c) {
  constexpr std::string_view kOthers = "/-._~%!$&'()*+,;=:";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

/// As Kubernetes asks it of a Job's managedBy.
void check_domain_prefixed_path(FieldReport& report, const Path& at, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size()) {
    return report.invalid(at, name, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  report.invalid_name(at, name.substr(0, slash), dns_subdomain_problems(name.substr(0, slash)));
  const std::string_view path = name.substr(slash + 1);
  if (std::ranges::all_of(path, is_path_letter)) return;
  report.invalid(at, path, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
}

void check_admission_gates(FieldReport& report, const ObjectMeta& metadata) {
  const auto annotation = metadata.annotations.find(kAdmissionGatedByAnnotation);
  if (annotation == metadata.annotations.end() || without_spaces(annotation->second).empty()) return;
  const Path root(nullptr);
  const Path place(root, "metadata");
  const Path annotations(place, "annotations");
  const Path at = Path::key(annotations, kAdmissionGatedByAnnotation);
  std::set<std::string_view> seen;
  for (const std::string_view part : split(annotation->second, ",")) {
    const std::string_view gate = without_spaces(part);
    if (gate.empty()) {
      report.invalid(at, annotation->second, "cannot contain empty gate names");
    } else if (!seen.insert(gate).second) {
      report.invalid(at, annotation->second, "duplicate gate name: " + std::string(gate));
    } else {
      check_domain_prefixed_path(report, at, gate);
      if (gate.size() > kLongestGate) report.too_long(at, kLongestGate);
    }
  }
}

}  // namespace

FieldErrors admission_gate_refusals(const ObjectMeta& object) {
  FieldReport report;
  check_admission_gates(report, object);
  return report.take();
}

FieldErrors admission_gate_refusals(const ObjectMeta& before, const ObjectMeta& after) {
  const auto gates_of = [](const ObjectMeta& object) -> std::string_view {
    const auto found = object.annotations.find(kAdmissionGatedByAnnotation);
    return found == object.annotations.end() ? std::string_view() : std::string_view(found->second);
  };
  FieldReport report;
  const Path root(nullptr);
  const Path place(root, "metadata");
  const Path annotations(place, "annotations");
  const Path at = Path::key(annotations, kAdmissionGatedByAnnotation);
  const std::string_view old_gates = gates_of(before);
  const std::string_view new_gates = gates_of(after);
  if (old_gates.empty() && !new_gates.empty()) report.forbidden(at, "cannot add admission gate after creation");
  if (!old_gates.empty() && !new_gates.empty()) {
    std::set<std::string_view> known;
    for (const std::string_view each : split(old_gates, ",")) known.insert(without_spaces(each));
    for (const std::string_view each : split(new_gates, ",")) {
      if (known.contains(without_spaces(each))) continue;
      report.forbidden(at, "can only remove gates, not add new ones");
      break;
    }
  }
  check_admission_gates(report, after);
  return report.take();
}

FieldErrors webhook_refusals(const KueueWorkload& workload) {
  FieldReport report;
  const Path root(nullptr);
  const Path spec(root, "spec");
  check_pod_sets(report, Path(spec, "podSets"), workload);
  const Path status(root, "status");
  check_admission(report, Path(status, "admission"), workload);
  check_reclaimable_pods(report, Path(status, "reclaimablePods"), workload);
  const Path checks(status, "admissionChecks");
  for (std::size_t i = 0; i < workload.status.admission_checks.size(); ++i) {
    const Path check = Path::element(checks, i);
    check_pod_set_updates(report, Path(check, "podSetUpdates"), workload,
                          workload.status.admission_checks[i].pod_set_updates);
  }
  check_admission_gates(report, workload.metadata);
  return report.take();
}

}  // namespace loadline::kube
