#include "objects/kube/kueue/cohort_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kueue/resource_group_schema.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kCohortFairSharingFields[] = {field<&Cohort::fair_sharing_weight>("weight")};
constexpr Schema kCohortFairSharingSchema{OfCustomKind{}, "FairSharing", kCohortFairSharingFields};

constexpr Field kCohortSpecFields[] = {
    field<&Cohort::parent>("parentName"),
    field<&Cohort::resource_groups>("resourceGroups", kResourceGroupSchema),
    part("fairSharing", kCohortFairSharingSchema),
};
constexpr Schema kCohortSpecSchema{OfCustomKind{}, "CohortSpec", kCohortSpecFields};

constexpr Field kCohortFields[] = {
    field<&Cohort::metadata>("metadata", kObjectMetaSchema),
    part("spec", kCohortSpecSchema),
};

}  // namespace

constinit const Schema kCohortSchema{OfCustomKind{}, "Cohort", kCohortFields};

}  // namespace loadline::kube
