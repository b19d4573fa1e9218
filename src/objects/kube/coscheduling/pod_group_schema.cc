#include "objects/kube/coscheduling/pod_group_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kSpecFields[] = {
    field<&CoschedulingPodGroup::min_member>("minMember"),
    field<&CoschedulingPodGroup::schedule_timeout_seconds>("scheduleTimeoutSeconds"),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "PodGroupSpec", kSpecFields};

constexpr Field kStatusFields[] = {
    field<&CoschedulingStatus::phase>("phase"),
    field<&CoschedulingStatus::occupied_by>("occupiedBy"),
    field<&CoschedulingStatus::running>("running"),
    field<&CoschedulingStatus::succeeded>("succeeded"),
    field<&CoschedulingStatus::failed>("failed"),
    field<&CoschedulingStatus::schedule_start_time>("scheduleStartTime"),
};
constexpr Schema kStatusSchema{OfCustomKind{}, "PodGroupStatus", kStatusFields};

constexpr Field kFields[] = {
    field<&CoschedulingPodGroup::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
    field<&CoschedulingPodGroup::status>("status", kStatusSchema),
};

}  // namespace

constinit const Schema kCoschedulingPodGroupSchema{OfCustomKind{}, "PodGroup", kFields};

}  // namespace loadline::kube
