#include "objects/kube/apps/controller_revision_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/meta_validation.h"
#include "objects/schema/names.h"

namespace loadline::kube {

constexpr Field kControllerRevisionFields[] = {
    field<&ControllerRevision::metadata>("metadata", kObjectMetaSchema),
};
constinit const Schema kControllerRevisionSchema{"io.k8s.api.apps.v1.ControllerRevision", kControllerRevisionFields};

FieldErrors validate(const ControllerRevision& revision) {
  FieldReport report;
  validate_metadata(report, revision.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  return report.take();
}

}  // namespace loadline::kube
