#include "objects/kube/leaderworkerset/leader_worker_set_schema.h"

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

bool is_word(const Value& value, std::string_view word) { return value.is_string() && value.string() == word; }

void read_sub_group_type(Decoder&, const Value& value, const Path&, SubGroupPolicy& policy) {
  policy.excludes_leader = is_word(value, "LeaderExcluded");
}

void read_startup(Decoder&, const Value& value, const Path&, LeaderWorkerSet& set) {
  set.waits_for_leader = is_word(value, "LeaderReady");
}

void read_subdomain(Decoder&, const Value& value, const Path&, LeaderWorkerSet& set) {
  set.has_subdomain_for_each_group = is_word(value, "UniquePerReplica");
}

constexpr Field kSubGroupFields[] = {
    custom<read_sub_group_type>("subGroupPolicyType"),
    field<&SubGroupPolicy::size>("subGroupSize"),
};
constexpr Schema kSubGroupSchema{OfCustomKind{}, "SubGroupPolicy", kSubGroupFields};

constexpr Field kClaimTemplateFields[] = {
    field<&PersistentVolumeClaimTemplate::metadata>("metadata", kObjectMetaSchema),
    field<&PersistentVolumeClaimTemplate::spec>("spec", kPersistentVolumeClaimSpecSchema),
};
constexpr Schema kClaimTemplateSchema{OfCustomKind{}, "PersistentVolumeClaim", kClaimTemplateFields};

constexpr Field kTemplateFields[] = {
    field<&LeaderWorkerSet::leader_template>("leaderTemplate", kPodTemplateSpecSchema),
    field<&LeaderWorkerSet::worker_template>("workerTemplate", kPodTemplateSpecSchema),
    field<&LeaderWorkerSet::size>("size"),
    field<&LeaderWorkerSet::sub_groups>("subGroupPolicy", kSubGroupSchema),
    field<&LeaderWorkerSet::volume_claim_templates>("volumeClaimTemplates", kClaimTemplateSchema),
    field<&LeaderWorkerSet::restart_policy>("restartPolicy"),
};
constexpr Schema kTemplateSchema{OfCustomKind{}, "LeaderWorkerTemplate", kTemplateFields};

constexpr Field kNetworkFields[] = {custom<read_subdomain>("subdomainPolicy")};
constexpr Schema kNetworkSchema{OfCustomKind{}, "NetworkConfig", kNetworkFields};

constexpr Field kRollingUpdateFields[] = {
    field<&LeaderWorkerSet::partition>("partition"),
    field<&LeaderWorkerSet::max_unavailable>("maxUnavailable"),
    field<&LeaderWorkerSet::max_surge>("maxSurge"),
};
constexpr Schema kRollingUpdateSchema{OfCustomKind{}, "RollingUpdateConfiguration", kRollingUpdateFields};

constexpr Field kRolloutFields[] = {part("rollingUpdateConfiguration", kRollingUpdateSchema)};
constexpr Schema kRolloutSchema{OfCustomKind{}, "RolloutStrategy", kRolloutFields};

constexpr Field kSpecFields[] = {
    field<&LeaderWorkerSet::replicas>("replicas").pointer(),
    part("leaderWorkerTemplate", kTemplateSchema),
    custom<read_startup>("startupPolicy"),
    part("networkConfig", kNetworkSchema),
    part("rolloutStrategy", kRolloutSchema),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "LeaderWorkerSetSpec", kSpecFields};

constexpr Field kStatusFields[] = {
    field<&LeaderWorkerSetStatus::conditions>("conditions", kMetaConditionSchema),
    field<&LeaderWorkerSetStatus::ready_replicas>("readyReplicas"),
    field<&LeaderWorkerSetStatus::updated_replicas>("updatedReplicas"),
    field<&LeaderWorkerSetStatus::replicas>("replicas"),
    field<&LeaderWorkerSetStatus::leader_selector>("hpaPodSelector"),
    field<&LeaderWorkerSetStatus::observed_generation>("observedGeneration"),
};

}  // namespace

constinit const Schema kLeaderWorkerSetStatusSchema{OfCustomKind{}, "LeaderWorkerSetStatus", kStatusFields};

namespace {

constexpr Field kFields[] = {
    field<&LeaderWorkerSet::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
    field<&LeaderWorkerSet::status>("status", kLeaderWorkerSetStatusSchema),
};

}  // namespace

constinit const Schema kLeaderWorkerSetSchema{OfCustomKind{}, "LeaderWorkerSet", kFields};

}  // namespace loadline::kube
