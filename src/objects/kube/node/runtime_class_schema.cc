#include "objects/kube/node/runtime_class_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kOverheadFields[] = {
    field<&RuntimeClassOverhead::pod_fixed>("podFixed"),
};
constexpr Schema kOverheadSchema{"Overhead", kOverheadFields};

constexpr Field kSchedulingFields[] = {
    field<&RuntimeClassScheduling::node_selector>("nodeSelector"),
    field<&RuntimeClassScheduling::tolerations>("tolerations", list_of(object(kTolerationSchema))),
};
constexpr Schema kSchedulingSchema{"Scheduling", kSchedulingFields};

constexpr Field kRuntimeClassFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&RuntimeClass::metadata>("metadata", object(kObjectMetaSchema)),
    field<&RuntimeClass::handler>("handler").required(),
    field<&RuntimeClass::overhead>("overhead", object(kOverheadSchema)),
    field<&RuntimeClass::scheduling>("scheduling", object(kSchedulingSchema)),
};
constinit const Schema kRuntimeClassSchema{"RuntimeClass", kRuntimeClassFields};

}  // namespace loadline::kube
