#include <set>
#include <tuple>

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/resource_validation.h"
#include "objects/kube/core/taint_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

std::string to_json(const Toleration& toleration) {
  const std::optional<std::int64_t>& seconds = toleration.toleration_seconds;
  return "{\"Key\":" + quoted(toleration.key) + ",\"Operator\":" + quoted(name_of(toleration.op)) +
         ",\"Value\":" + quoted(toleration.value) + ",\"Effect\":" + quoted(name_of(toleration.effect)) +
         ",\"TolerationSeconds\":" + (seconds ? std::to_string(*seconds) : std::string("null")) + "}";
}

/// Tolerations that differ by their seconds only are the same to Kubernetes.
void validate_unique(FieldReport& report, const Path& at, const std::vector<Toleration>& tolerations) {
  std::set<std::tuple<std::string_view, TolerationOperator, std::string_view, TaintEffect>> seen;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Toleration& toleration = tolerations[i];
    if (!seen.emplace(toleration.key, toleration.op, toleration.value, toleration.effect).second) {
      report.duplicate_json(Path::element(at, i), to_json(toleration), {});
    }
  }
}

}  // namespace

// Source: pkg/apis/node/validation, v1.36.
FieldErrors validate(const RuntimeClass& runtime_class) {
  FieldReport report;
  validate_metadata(report, runtime_class.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  const Path handler(root, "handler");
  if (runtime_class.handler.empty()) {
    report.required(handler);
  } else {
    report.invalid_name(handler, runtime_class.handler, dns_label_problems(runtime_class.handler));
  }
  if (runtime_class.overhead) {
    const Path overhead(root, "overhead");
    validate_overhead(report, Path(overhead, "podFixed"), runtime_class.overhead->pod_fixed);
  }
  if (runtime_class.scheduling) {
    const Path scheduling(root, "scheduling");
    validate_labels(report, Path(scheduling, "nodeSelector"), runtime_class.scheduling->node_selector);
    const Path tolerations(scheduling, "tolerations");
    validate_tolerations(report, tolerations, runtime_class.scheduling->tolerations);
    validate_unique(report, tolerations, runtime_class.scheduling->tolerations);
  }
  return report.take();
}

}  // namespace loadline::kube
