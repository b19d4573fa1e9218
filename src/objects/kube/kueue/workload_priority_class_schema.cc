#include "objects/kube/kueue/workload_priority_class_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kWorkloadPriorityClassFields[] = {
    field<&WorkloadPriorityClass::metadata>("metadata", kObjectMetaSchema),
    field<&WorkloadPriorityClass::value>("value"),
};

}  // namespace

constinit const Schema kWorkloadPriorityClassSchema{OfCustomKind{}, "WorkloadPriorityClass",
                                                    kWorkloadPriorityClassFields};

}  // namespace loadline::kube
