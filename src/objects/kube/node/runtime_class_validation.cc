#include "objects/kube/core/resource_validation.h"
#include "objects/kube/core/taint_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"

namespace loadline::kube {

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
    validate_tolerations(report, Path(scheduling, "tolerations"), runtime_class.scheduling->tolerations);
  }
  return report.take();
}

}  // namespace loadline::kube
