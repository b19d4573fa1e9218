#include <set>

#include "objects/kube/meta_validation.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::size_t kMostTemplates = 8;

/// The schedulingPolicy of a PodGroup, or of a template of one.
void check_policy(FieldReport& report, const Path& at, const PodGroupPolicy& policy) {
  if (policy.is_basic && policy.min_count) {
    report.invalid(at, "{`basic`, `gang`}", "must specify exactly one of: `basic`, `gang`");
  } else if (!policy.is_basic && !policy.min_count) {
    report.invalid(at, "", "must specify one of: `basic`, `gang`");
  }
  const Path gang(at, "gang");
  if (policy.min_count && *policy.min_count < 1) {
    report.invalid(Path(gang, "minCount"), std::int64_t{*policy.min_count}, "must be greater than or equal to 1");
  }
}

void check_templates(FieldReport& report, const Path& at, const std::vector<PodGroupTemplate>& templates) {
  if (templates.empty()) report.required(at);
  if (templates.size() > kMostTemplates) {
    report.invalid(at, static_cast<std::int64_t>(templates.size()), "must have at most 8 items");
  }
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < templates.size(); ++index) {
    const PodGroupTemplate& each = templates[index];
    const Path element = Path::element(at, index);
    const Path name(element, "name");
    if (each.name.empty()) {
      report.required(name);
    } else {
      report.invalid_name(name, each.name, dns_label_problems(each.name));
    }
    if (!names.insert(each.name).second) report.duplicate(element, each.name);
    check_policy(report, Path(element, "schedulingPolicy"), each.policy);
  }
}

}  // namespace

// Source: pkg/apis/scheduling/v1alpha2/zz_generated.validations.go, v1.36.

FieldErrors validate(const PodGroup& group) {
  FieldReport report;
  validate_metadata(report, group.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  check_policy(report, Path(spec, "schedulingPolicy"), group.policy);
  return report.take();
}

FieldErrors validate(const Workload& workload) {
  FieldReport report;
  validate_metadata(report, workload.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Workload::Controller& controller = workload.controller;
  const bool has_controller = !controller.kind.empty() || !controller.name.empty() || !controller.api_group.empty();
  const Path reference(spec, "controllerRef");
  if (has_controller && controller.kind.empty()) report.required(Path(reference, "kind"));
  if (has_controller && controller.name.empty()) report.required(Path(reference, "name"));
  check_templates(report, Path(spec, "podGroupTemplates"), workload.templates);
  return report.take();
}

}  // namespace loadline::kube
