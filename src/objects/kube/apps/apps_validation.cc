#include "objects/kube/apps/apps.h"
#include "objects/kube/apps/rollout_validation.h"
#include "objects/kube/core/pod_validation.h"
#include "objects/kube/core/volume_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::string_view kMismatch = "`selector` does not match template `labels`";

std::string selector_hint(const StringMap& labels, const std::string& name) {
  const StringMap example = labels.empty() ? StringMap{{"app", name.empty() ? "..." : name}} : labels;
  std::string text;
  for (const auto& [key, value] : example) text.append(text.empty() ? "" : ", ").append(key).append(": ").append(value);
  return labels.empty() ? "add selector: {matchLabels: {" + text + "}} and the same template.metadata.labels"
                        : "add selector: {matchLabels: {" + text + "}}, as in template.metadata.labels";
}

/// What stands in a selector that is required and must select the template's pods.
/// True if it can be compared with the template's labels.
bool validate_required_selector(FieldReport& report, const Path& spec, const std::optional<LabelSelector>& selector,
                                const PodTemplateSpec& pod_template, const std::string& name,
                                std::string_view empty_message) {
  const Path at(spec, "selector");
  if (!selector) {
    report.required(at, {}, selector_hint(pod_template.metadata.labels, name));
    return true;
  }
  const std::size_t before = report.size();
  validate_label_selector(report, at, selector);
  const bool valid = report.size() == before;
  if (selector->empty())
    report.invalid_json(at, "{}", empty_message, selector_hint(pod_template.metadata.labels, name));
  return valid;
}

void validate_selects(FieldReport& report, const Path& template_at, const std::optional<LabelSelector>& selector,
                      const StringMap& labels) {
  if (selector && matches(*selector, labels)) return;
  const Path metadata(template_at, "metadata");
  std::string hint;
  if (selector && !selector->match_labels.empty()) hint = "give the template the labels that the selector asks for";
  report.invalid_json(Path(metadata, "labels"), to_json(labels), kMismatch, std::move(hint));
}

/// ReplicaSets, and the part of Deployments that they become.
void validate_replicated(FieldReport& report, const Path& spec, const std::optional<LabelSelector>& selector,
                         const PodTemplateSpec& pod_template, const std::string& name) {
  const bool comparable = validate_required_selector(report, spec, selector, pod_template, name,
                                                     "empty selector is invalid for deployment");
  if (!comparable) {
    report.invalid_json(Path(spec, "selector"), to_json(*selector), "invalid label selector");
    return;
  }
  const Path place(spec, "template");
  if (selector) validate_selects(report, place, selector, pod_template.metadata.labels);
  validate_pod_template(report, place, pod_template);
  validate_long_running(report, place, *pod_template.spec, "ReplicaSet");
}

void validate_strategy(FieldReport& report, const Path& spec, const Deployment& deployment) {
  if (deployment.recreate || !deployment.max_surge || !deployment.max_unavailable) return;
  const Path strategy(spec, "strategy");
  const Path rolling(strategy, "rollingUpdate");
  const Path unavailable(rolling, "maxUnavailable");
  validate_positive_int_or_percent(report, unavailable, *deployment.max_unavailable);
  validate_positive_int_or_percent(report, Path(rolling, "maxSurge"), *deployment.max_surge);
  if (number_of(*deployment.max_unavailable) == 0 && number_of(*deployment.max_surge) == 0) {
    report.invalid_json(unavailable, to_json(*deployment.max_unavailable), "may not be 0 when `maxSurge` is 0");
  }
  validate_at_most_all(report, unavailable, *deployment.max_unavailable);
}

}  // namespace

FieldErrors validate(const Deployment& deployment) {
  FieldReport report;
  validate_metadata(report, deployment.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  report.not_negative(Path(spec, "replicas"), deployment.replicas);
  validate_replicated(report, spec, deployment.selector, deployment.template_, deployment.metadata.name);
  validate_strategy(report, spec, deployment);
  return report.take();
}

FieldErrors validate(const ReplicaSet& replica_set) {
  FieldReport report;
  validate_metadata(report, replica_set.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  report.not_negative(Path(spec, "replicas"), replica_set.replicas);
  validate_replicated(report, spec, replica_set.selector, replica_set.template_, replica_set.metadata.name);
  return report.take();
}

FieldErrors validate(const StatefulSet& stateful_set) {
  FieldReport report;
  validate_metadata(report, stateful_set.metadata, NamespaceRule::kRequired, dns_label_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Path claims(spec, "volumeClaimTemplates");
  for (std::size_t i = 0; i < stateful_set.volume_claim_templates.size(); ++i) {
    const Path claim = Path::element(claims, i);
    validate_claim_spec(report, Path(claim, "spec"), stateful_set.volume_claim_templates[i].spec);
  }
  report.not_negative(Path(spec, "replicas"), stateful_set.replicas);
  report.not_negative(Path(spec, "ordinals.start"), stateful_set.ordinals_start);
  if (!stateful_set.service_name.empty()) {
    report.invalid_name(Path(spec, "serviceName"), stateful_set.service_name,
                        dns_label_problems(stateful_set.service_name));
  }
  const PodTemplateSpec& pod_template = stateful_set.template_;
  const Path place(spec, "template");
  if (validate_required_selector(report, spec, stateful_set.selector, pod_template, stateful_set.metadata.name,
                                 "empty selector is invalid for statefulset")) {
    if (stateful_set.selector) validate_selects(report, place, stateful_set.selector, pod_template.metadata.labels);
    validate_pod_template(report, place, pod_template);
  } else {
    report.invalid_json(Path(spec, "selector"), to_json(*stateful_set.selector), {});
  }
  validate_long_running(report, place, *pod_template.spec, "StatefulSet");
  return report.take();
}

FieldErrors validate(const DaemonSet& daemon_set) {
  FieldReport report;
  validate_metadata(report, daemon_set.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const PodTemplateSpec& pod_template = daemon_set.template_;
  const Path selector(spec, "selector");
  const std::size_t before = report.size();
  validate_label_selector(report, selector, daemon_set.selector);
  const Path place(spec, "template");
  if (report.size() == before) {
    validate_selects(report, place, daemon_set.selector, pod_template.metadata.labels);
  }
  if (daemon_set.selector && daemon_set.selector->empty()) {
    report.invalid_json(selector, "{}", "empty selector is invalid for daemonset",
                        selector_hint(pod_template.metadata.labels, daemon_set.metadata.name));
  }
  validate_pod_template(report, place, pod_template);
  validate_long_running(report, place, *pod_template.spec, "DaemonSet");
  return report.take();
}

}  // namespace loadline::kube
