#include "objects/kube/kueue/cluster_queue_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kueue/resource_group_schema.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

/// v1beta1 has other words for "take it": Borrow, Preempt. Source: kueue apis/kueue/v1beta1/clusterqueue_conversion.go.
bool says_next(const Value& value) { return value.is_string() && value.string() == "TryNextFlavor"; }

void read_when_can_borrow(Decoder&, const Value& value, const Path&, FlavorFungibility& fungibility) {
  fungibility.tries_next_before_borrowing = says_next(value);
}

void read_when_can_preempt(Decoder&, const Value& value, const Path&, FlavorFungibility& fungibility) {
  fungibility.tries_next_before_preempting = says_next(value);
}

/// v1beta1's plain list of checks: each on all flavors. It takes the place of the strategy, if there are both.
/// Source: ibidem.
void take_plain_admission_checks(const Value& spec, ClusterQueue& queue) {
  const Value* names = spec.find("admissionChecks");
  if (names == nullptr || !names->is_array() || names->array().empty()) return;
  queue.admission_checks.clear();
  for (const Value& name : names->array()) {
    if (name.is_string()) queue.admission_checks.push_back({std::string(name.string()), {}});
  }
}

constexpr Field kClusterQueueFungibilityFields[] = {
    custom<read_when_can_borrow>("whenCanBorrow"),
    custom<read_when_can_preempt>("whenCanPreempt"),
    field<&FlavorFungibility::preference>("preference"),
};
constexpr Schema kClusterQueueFungibilitySchema{OfCustomKind{}, "FlavorFungibility", kClusterQueueFungibilityFields};

constexpr Field kClusterQueueBorrowFields[] = {
    field<&ClusterQueuePreemption::borrow_within_cohort>("policy"),
    field<&ClusterQueuePreemption::max_priority_threshold>("maxPriorityThreshold"),
};
constexpr Schema kClusterQueueBorrowSchema{OfCustomKind{}, "BorrowWithinCohort", kClusterQueueBorrowFields};

constexpr Field kClusterQueuePreemptionFields[] = {
    field<&ClusterQueuePreemption::reclaim_within_cohort>("reclaimWithinCohort"),
    field<&ClusterQueuePreemption::within_cluster_queue>("withinClusterQueue"),
    part("borrowWithinCohort", kClusterQueueBorrowSchema),
};
constexpr Schema kClusterQueuePreemptionSchema{OfCustomKind{}, "ClusterQueuePreemption", kClusterQueuePreemptionFields};

constexpr Field kClusterQueueCheckFields[] = {
    field<&AdmissionCheckRule::name>("name"),
    field<&AdmissionCheckRule::on_flavors>("onFlavors"),
};
constexpr Schema kClusterQueueCheckSchema{OfCustomKind{}, "AdmissionCheckStrategyRule", kClusterQueueCheckFields};
constexpr Field kClusterQueueStrategyFields[] = {
    field<&ClusterQueue::admission_checks>("admissionChecks", kClusterQueueCheckSchema)};
constexpr Schema kClusterQueueStrategySchema{OfCustomKind{}, "AdmissionChecksStrategy", kClusterQueueStrategyFields};

constexpr Field kClusterQueueFairSharingFields[] = {field<&ClusterQueue::fair_sharing_weight>("weight")};
constexpr Schema kClusterQueueFairSharingSchema{OfCustomKind{}, "FairSharing", kClusterQueueFairSharingFields};

constexpr Field kClusterQueueScopeFields[] = {field<&ClusterQueue::admission_scope>("admissionMode")};
constexpr Schema kClusterQueueScopeSchema{OfCustomKind{}, "AdmissionScope", kClusterQueueScopeFields};

constexpr Field kClusterQueueSpecFields[] = {
    field<&ClusterQueue::cohort>("cohortName"),
    field<&ClusterQueue::cohort>("cohort").read_only(),  // v1beta1
    field<&ClusterQueue::resource_groups>("resourceGroups", kResourceGroupSchema),
    field<&ClusterQueue::queueing_strategy>("queueingStrategy"),
    field<&ClusterQueue::namespace_selector>("namespaceSelector", kLabelSelectorSchema),
    field<&ClusterQueue::flavor_fungibility>("flavorFungibility", kClusterQueueFungibilitySchema),
    field<&ClusterQueue::preemption>("preemption", kClusterQueuePreemptionSchema),
    part("admissionChecksStrategy", kClusterQueueStrategySchema),
    field<&ClusterQueue::stop_policy>("stopPolicy"),
    part("fairSharing", kClusterQueueFairSharingSchema),
    part("admissionScope", kClusterQueueScopeSchema),
    presence<&ClusterQueue::has_concurrent_admission>("concurrentAdmissionPolicy"),  // v1beta2
};
constexpr Schema kClusterQueueSpecSchema{OfCustomKind{}, "ClusterQueueSpec", kClusterQueueSpecFields};

void read_spec(Decoder& decoder, const Value& value, const Path& path, ClusterQueue& queue) {
  decode_object(decoder, value, path.with(kClusterQueueSpecSchema), kClusterQueueSpecSchema, &queue);
  take_plain_admission_checks(value, queue);
}

constexpr Field kClusterQueueStatusFields[] = {field<&ClusterQueue::conditions>("conditions", kMetaConditionSchema)};
constexpr Schema kClusterQueueStatusSchema{OfCustomKind{}, "ClusterQueueStatus", kClusterQueueStatusFields};

constexpr Field kClusterQueueFields[] = {
    field<&ClusterQueue::metadata>("metadata", kObjectMetaSchema),
    custom<read_spec>("spec", kClusterQueueSpecSchema),
    part("status", kClusterQueueStatusSchema),
};

}  // namespace

constinit const Schema kClusterQueueSchema{OfCustomKind{}, "ClusterQueue", kClusterQueueFields};

}  // namespace loadline::kube
