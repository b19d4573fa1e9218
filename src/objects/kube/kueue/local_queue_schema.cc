#include "objects/kube/kueue/local_queue_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kLocalQueueFairSharingFields[] = {field<&LocalQueue::fair_sharing_weight>("weight")};
constexpr Schema kLocalQueueFairSharingSchema{OfCustomKind{}, "FairSharing", kLocalQueueFairSharingFields};

constexpr Field kLocalQueueSpecFields[] = {
    field<&LocalQueue::cluster_queue>("clusterQueue"),
    field<&LocalQueue::stop_policy>("stopPolicy"),
    part("fairSharing", kLocalQueueFairSharingSchema),
};
constexpr Schema kLocalQueueSpecSchema{OfCustomKind{}, "LocalQueueSpec", kLocalQueueSpecFields};

constexpr Field kLocalQueueStatusFields[] = {field<&LocalQueue::conditions>("conditions", kMetaConditionSchema)};
constexpr Schema kLocalQueueStatusSchema{OfCustomKind{}, "LocalQueueStatus", kLocalQueueStatusFields};

constexpr Field kLocalQueueFields[] = {
    field<&LocalQueue::metadata>("metadata", kObjectMetaSchema),
    part("spec", kLocalQueueSpecSchema),
    part("status", kLocalQueueStatusSchema),
};

}  // namespace

constinit const Schema kLocalQueueSchema{OfCustomKind{}, "LocalQueue", kLocalQueueFields};

}  // namespace loadline::kube
