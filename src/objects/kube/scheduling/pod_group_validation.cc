#include "objects/kube/meta_validation.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/validation.h"

namespace loadline::kube {

/// Source: pkg/apis/scheduling/v1alpha2/zz_generated.validations.go, v1.36.
FieldErrors validate(const PodGroup& group) {
  FieldReport report;
  validate_metadata(report, group.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Path policy(spec, "schedulingPolicy");
  if (group.is_basic && group.min_count) {
    report.invalid(policy, "{`basic`, `gang`}", "must specify exactly one of: `basic`, `gang`");
  } else if (!group.is_basic && !group.min_count) {
    report.invalid(policy, "", "must specify one of: `basic`, `gang`");
  }
  const Path gang(policy, "gang");
  if (group.min_count && *group.min_count < 1) {
    report.invalid(Path(gang, "minCount"), std::int64_t{*group.min_count}, "must be greater than or equal to 1");
  }
  return report.take();
}

}  // namespace loadline::kube
