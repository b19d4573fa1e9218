#include "objects/kube/core/pod_validation.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"

namespace loadline::kube {

/// What its definition cannot say: of the template, what is said of pods.
FieldErrors validate(const Reservation& reservation) {
  FieldReport report;
  validate_metadata(report, reservation.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_label_selector(report, Path(spec, "selector"), reservation.selector);
  validate_pod_template(report, Path(spec, "template"), reservation.template_);
  if (!reservation.per_domain.empty()) validate_label_key(report, Path(spec, "perDomain"), reservation.per_domain);
  return report.take();
}

}  // namespace loadline::kube
