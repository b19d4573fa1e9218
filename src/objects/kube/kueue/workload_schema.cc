#include "objects/kube/kueue/workload_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kKueueWorkloadSpecFields[] = {
    field<&KueueWorkload::maximum_execution_time_seconds>("maximumExecutionTimeSeconds"),
};
constexpr Schema kKueueWorkloadSpecSchema{OfCustomKind{}, "WorkloadSpec", kKueueWorkloadSpecFields};

constexpr Field kKueueWorkloadFields[] = {
    field<&KueueWorkload::metadata>("metadata", kObjectMetaSchema),
    part("spec", kKueueWorkloadSpecSchema),
};

}  // namespace

constinit const Schema kKueueWorkloadSchema{OfCustomKind{}, "Workload", kKueueWorkloadFields};

}  // namespace loadline::kube
