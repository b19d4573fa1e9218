#include "objects/kube/core/service_account_schema.h"

#include "objects/kube/core/volume_schema.h"
#include "objects/kube/core/volume_source_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kServiceAccountFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&ServiceAccount::metadata>("metadata", object(kObjectMetaSchema)),
    known("automountServiceAccountToken", kBoolean),
    known("imagePullSecrets", list_of(object(kLocalObjectReferenceSchema))),
    known("secrets", list_of(object(kObjectReferenceSchema))),
};
constinit const Schema kServiceAccountSchema{"ServiceAccount", kServiceAccountFields};

}  // namespace loadline::kube
