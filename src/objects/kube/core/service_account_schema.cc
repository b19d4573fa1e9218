#include "objects/kube/core/service_account_schema.h"

#include "objects/kube/core/volume_schema.h"
#include "objects/kube/core/volume_source_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kServiceAccountFields[] = {
    field<&ServiceAccount::metadata>("metadata", kObjectMetaSchema),
};
constinit const Schema kServiceAccountSchema{"io.k8s.api.core.v1.ServiceAccount", kServiceAccountFields};

}  // namespace loadline::kube
