#include "objects/kube/scheduling/priority_class_schema.h"

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kPriorityClassFields[] = {
    field<&PriorityClass::metadata>("metadata", kObjectMetaSchema),
    field<&PriorityClass::description>("description"),
    field<&PriorityClass::global_default>("globalDefault"),
    field<&PriorityClass::preemption_policy>("preemptionPolicy"),
    field<&PriorityClass::value>("value"),
};
constinit const Schema kPriorityClassSchema{"io.k8s.api.scheduling.v1.PriorityClass", kPriorityClassFields};

}  // namespace loadline::kube
