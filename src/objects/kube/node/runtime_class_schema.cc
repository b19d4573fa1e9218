#include "objects/kube/node/runtime_class_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kOverheadFields[] = {
    field<&RuntimeClassOverhead::pod_fixed>("podFixed"),
};
constexpr Schema kOverheadSchema{"io.k8s.api.node.v1.Overhead", kOverheadFields};

constexpr Field kSchedulingFields[] = {
    field<&RuntimeClassScheduling::node_selector>("nodeSelector"),
    field<&RuntimeClassScheduling::tolerations>("tolerations", kTolerationSchema),
};
constexpr Schema kSchedulingSchema{"io.k8s.api.node.v1.Scheduling", kSchedulingFields};

constexpr Field kRuntimeClassFields[] = {
    field<&RuntimeClass::metadata>("metadata", kObjectMetaSchema),
    field<&RuntimeClass::handler>("handler"),
    field<&RuntimeClass::overhead>("overhead", kOverheadSchema),
    field<&RuntimeClass::scheduling>("scheduling", kSchedulingSchema),
};
constinit const Schema kRuntimeClassSchema{"io.k8s.api.node.v1.RuntimeClass", kRuntimeClassFields};

}  // namespace loadline::kube
