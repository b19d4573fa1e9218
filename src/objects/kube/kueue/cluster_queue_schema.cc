#include "objects/kube/kueue/cluster_queue_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
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

/// v1beta1's plain list of checks: each on all flavors.
void read_admission_checks(Decoder&, const Value& value, const Path&, ClusterQueue& queue) {
  if (!value.is_array()) return;
  for (const Value& name : value.array()) {
    if (name.is_string()) queue.admission_checks.push_back({std::string(name.string()), {}});
  }
}

constexpr Field kQuotaFields[] = {
    field<&FlavorQuota::resource>("name"),
    field<&FlavorQuota::nominal>("nominalQuota"),
    field<&FlavorQuota::borrowing_limit>("borrowingLimit"),
    field<&FlavorQuota::lending_limit>("lendingLimit"),
};
constexpr Schema kQuotaSchema{OfCustomKind{}, "ResourceQuota", kQuotaFields};

constexpr Field kFlavorFields[] = {
    field<&FlavorQuotas::flavor>("name"),
    field<&FlavorQuotas::resources>("resources", kQuotaSchema),
};
constexpr Schema kFlavorSchema{OfCustomKind{}, "FlavorQuotas", kFlavorFields};

constexpr Field kGroupFields[] = {
    field<&ResourceGroup::covered_resources>("coveredResources"),
    field<&ResourceGroup::flavors>("flavors", kFlavorSchema),
};
constexpr Schema kGroupSchema{OfCustomKind{}, "ResourceGroup", kGroupFields};

constexpr Field kFungibilityFields[] = {
    custom<read_when_can_borrow>("whenCanBorrow"),
    custom<read_when_can_preempt>("whenCanPreempt"),
    field<&FlavorFungibility::preference>("preference"),
};
constexpr Schema kFungibilitySchema{OfCustomKind{}, "FlavorFungibility", kFungibilityFields};

constexpr Field kBorrowFields[] = {
    field<&ClusterQueuePreemption::borrow_within_cohort>("policy"),
    field<&ClusterQueuePreemption::max_priority_threshold>("maxPriorityThreshold"),
};
constexpr Schema kBorrowSchema{OfCustomKind{}, "BorrowWithinCohort", kBorrowFields};

constexpr Field kPreemptionFields[] = {
    field<&ClusterQueuePreemption::reclaim_within_cohort>("reclaimWithinCohort"),
    field<&ClusterQueuePreemption::within_cluster_queue>("withinClusterQueue"),
    part("borrowWithinCohort", kBorrowSchema),
};
constexpr Schema kPreemptionSchema{OfCustomKind{}, "ClusterQueuePreemption", kPreemptionFields};

constexpr Field kCheckFields[] = {
    field<&AdmissionCheckRule::name>("name"),
    field<&AdmissionCheckRule::on_flavors>("onFlavors"),
};
constexpr Schema kCheckSchema{OfCustomKind{}, "AdmissionCheckStrategyRule", kCheckFields};
constexpr Field kStrategyFields[] = {field<&ClusterQueue::admission_checks>("admissionChecks", kCheckSchema)};
constexpr Schema kStrategySchema{OfCustomKind{}, "AdmissionChecksStrategy", kStrategyFields};

constexpr Field kFairSharingFields[] = {field<&ClusterQueue::fair_sharing_weight>("weight")};
constexpr Schema kFairSharingSchema{OfCustomKind{}, "FairSharing", kFairSharingFields};

constexpr Field kSpecFields[] = {
    field<&ClusterQueue::cohort>("cohortName"),
    field<&ClusterQueue::cohort>("cohort").read_only(),  // v1beta1
    field<&ClusterQueue::resource_groups>("resourceGroups", kGroupSchema),
    field<&ClusterQueue::queueing_strategy>("queueingStrategy"),
    field<&ClusterQueue::namespace_selector>("namespaceSelector", kLabelSelectorSchema),
    field<&ClusterQueue::flavor_fungibility>("flavorFungibility", kFungibilitySchema),
    field<&ClusterQueue::preemption>("preemption", kPreemptionSchema),
    part("admissionChecksStrategy", kStrategySchema),
    custom<read_admission_checks>("admissionChecks"),  // v1beta1
    field<&ClusterQueue::stop_policy>("stopPolicy"),
    part("fairSharing", kFairSharingSchema),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "ClusterQueueSpec", kSpecFields};

constexpr Field kFields[] = {
    field<&ClusterQueue::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
};

}  // namespace

constinit const Schema kClusterQueueSchema{OfCustomKind{}, "ClusterQueue", kFields};

}  // namespace loadline::kube
