#include "objects/kube/grove/pod_clique_set_schema.h"

#include <utility>

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

void read_pod_spec(Decoder& decoder, const Value& value, const Path& path, CliqueSpec& clique) {
  PodSpec spec;
  decode_object(decoder, value, path.with(kPodSpecSchema), kPodSpecSchema, &spec);
  clique.template_.spec = std::make_shared<const PodSpec>(std::move(spec));
}

/// Pods have the labels and annotations of their clique.
void read_labels(Decoder& decoder, const Value& value, const Path& path, CliqueTemplate& clique) {
  decode_into(decoder, value, path, clique.spec.template_.metadata.labels, map_of(kString));
}
void read_annotations(Decoder& decoder, const Value& value, const Path& path, CliqueTemplate& clique) {
  decode_into(decoder, value, path, clique.spec.template_.metadata.annotations, map_of(kString));
}

void read_termination_delay(Decoder&, const Value& value, const Path&, PodCliqueSet& set) {
  if (!value.is_string()) return;
  const Result<Duration> delay = parse_duration(value.string());
  if (delay) set.termination_delay = *delay;
}

constexpr Field kAutoscalingFields[] = {
    field<&CliqueAutoscaling::min_replicas>("minReplicas"),
    field<&CliqueAutoscaling::max_replicas>("maxReplicas"),
};
constexpr Schema kAutoscalingSchema{OfCustomKind{}, "AutoScalingConfig", kAutoscalingFields};

constexpr Field kCliqueSpecFields[] = {
    field<&CliqueSpec::role_name>("roleName"),
    custom<read_pod_spec>("podSpec", kPodSpecSchema),
    field<&CliqueSpec::replicas>("replicas"),
    field<&CliqueSpec::min_available>("minAvailable"),
    field<&CliqueSpec::starts_after>("startsAfter"),
    field<&CliqueSpec::autoscaling>("autoScalingConfig", kAutoscalingSchema),
};
constexpr Schema kCliqueSpecSchema{OfCustomKind{}, "PodCliqueSpec", kCliqueSpecFields};

void read_pack_domain(Decoder&, const Value& value, const Path&, GroveTopologyConstraint& constraint) {
  if (value.is_string() && constraint.required.empty()) constraint.required = value.string();
}

constexpr Field kPackFields[] = {
    field<&GroveTopologyConstraint::required>("required"),
    field<&GroveTopologyConstraint::preferred>("preferred"),
};
constexpr Schema kPackSchema{OfCustomKind{}, "TopologyPackConstraint", kPackFields};

constexpr Field kTopologyFields[] = {
    field<&GroveTopologyConstraint::topology>("topologyName"),
    part("pack", kPackSchema),
    custom<read_pack_domain>("packDomain"),
};
constexpr Schema kTopologySchema{OfCustomKind{}, "TopologyConstraint", kTopologyFields};

constexpr Field kCliqueTemplateFields[] = {
    field<&CliqueTemplate::name>("name"),
    custom<read_labels>("labels"),
    custom<read_annotations>("annotations"),
    field<&CliqueTemplate::spec>("spec", kCliqueSpecSchema),
    field<&CliqueTemplate::topology>("topologyConstraint", kTopologySchema),
};
constexpr Schema kCliqueTemplateSchema{OfCustomKind{}, "PodCliqueTemplateSpec", kCliqueTemplateFields};

constexpr Field kGroupConfigFields[] = {
    field<&CliqueScalingGroup::name>("name"),
    field<&CliqueScalingGroup::cliques>("cliqueNames"),
    field<&CliqueScalingGroup::annotations>("annotations"),
    field<&CliqueScalingGroup::replicas>("replicas"),
    field<&CliqueScalingGroup::min_available>("minAvailable"),
    field<&CliqueScalingGroup::autoscaling>("scaleConfig", kAutoscalingSchema),
    field<&CliqueScalingGroup::topology>("topologyConstraint", kTopologySchema),
};
constexpr Schema kGroupConfigSchema{OfCustomKind{}, "PodCliqueScalingGroupConfig", kGroupConfigFields};

constexpr Field kServiceFields[] = {
    field<&PodCliqueSet::publishes_not_ready_addresses>("publishNotReadyAddresses").pointer(),
};
constexpr Schema kServiceSchema{OfCustomKind{}, "HeadlessServiceConfig", kServiceFields};

constexpr Field kSetTemplateFields[] = {
    field<&PodCliqueSet::cliques>("cliques", kCliqueTemplateSchema),
    field<&PodCliqueSet::startup_type>("cliqueStartupType"),
    field<&PodCliqueSet::priority_class_name>("priorityClassName"),
    part("headlessServiceConfig", kServiceSchema),
    custom<read_termination_delay>("terminationDelay", kDuration),
    field<&PodCliqueSet::scaling_groups>("podCliqueScalingGroups", kGroupConfigSchema),
    field<&PodCliqueSet::topology>("topologyConstraint", kTopologySchema),
};
constexpr Schema kSetTemplateSchema{OfCustomKind{}, "PodCliqueSetTemplateSpec", kSetTemplateFields};

constexpr Field kStrategyFields[] = {
    field<&PodCliqueSet::update_strategy>("type"),
};
constexpr Schema kStrategySchema{OfCustomKind{}, "PodCliqueSetUpdateStrategy", kStrategyFields};

constexpr Field kSetSpecFields[] = {
    field<&PodCliqueSet::replicas>("replicas"),
    part("updateStrategy", kStrategySchema),
    part("template", kSetTemplateSchema),
};
constexpr Schema kSetSpecSchema{OfCustomKind{}, "PodCliqueSetSpec", kSetSpecFields};

constexpr Field kReplicaUpdateFields[] = {
    field<&CliqueUpdate::Replica::index>("replicaIndex").pointer(),
    field<&CliqueUpdate::Replica::started_at>("updateStartedAt"),
    field<&CliqueUpdate::Replica::ended_at>("updateEndedAt"),
};
constexpr Schema kReplicaUpdateSchema{OfCustomKind{}, "PodCliqueSetReplicaUpdateProgress", kReplicaUpdateFields};

constexpr Field kSetUpdateFields[] = {
    field<&CliqueUpdate::started_at>("updateStartedAt"),
    field<&CliqueUpdate::ended_at>("updateEndedAt"),
    field<&CliqueUpdate::updated_cliques>("updatedPodCliquesCount"),
    field<&CliqueUpdate::total_cliques>("totalPodCliquesCount"),
    field<&CliqueUpdate::updated_groups>("updatedPodCliqueScalingGroupsCount"),
    field<&CliqueUpdate::total_groups>("totalPodCliqueScalingGroupsCount"),
    field<&CliqueUpdate::updating>("currentlyUpdating", kReplicaUpdateSchema),
};
constexpr Schema kSetUpdateSchema{OfCustomKind{}, "PodCliqueSetUpdateProgress", kSetUpdateFields};

constexpr Field kSelectedPodsFields[] = {
    field<&CliqueUpdate::Pods::current>("current").pointer(),
    field<&CliqueUpdate::Pods::completed>("completed"),
};
constexpr Schema kSelectedPodsSchema{OfCustomKind{}, "PodsSelectedToUpdate", kSelectedPodsFields};

constexpr Field kCliqueUpdateFields[] = {
    field<&CliqueUpdate::started_at>("updateStartedAt"),
    field<&CliqueUpdate::ended_at>("updateEndedAt"),
    field<&CliqueUpdate::set_hash>("podCliqueSetGenerationHash"),
    field<&CliqueUpdate::template_hash>("podTemplateHash"),
    field<&CliqueUpdate::pods>("readyPodsSelectedToUpdate", kSelectedPodsSchema),
};
constexpr Schema kCliqueUpdateSchema{OfCustomKind{}, "PodCliqueUpdateProgress", kCliqueUpdateFields};

constexpr Field kSelectedReplicasFields[] = {
    field<&CliqueUpdate::Replicas::current>("current").pointer(),
    field<&CliqueUpdate::Replicas::completed>("completed"),
};
constexpr Schema kSelectedReplicasSchema{OfCustomKind{}, "PodCliqueScalingGroupReplicaUpdateProgress",
                                         kSelectedReplicasFields};

constexpr Field kGroupUpdateFields[] = {
    field<&CliqueUpdate::started_at>("updateStartedAt"),
    field<&CliqueUpdate::ended_at>("updateEndedAt"),
    field<&CliqueUpdate::set_hash>("podCliqueSetGenerationHash"),
    field<&CliqueUpdate::updated_cliques>("updatedPodCliquesCount"),
    field<&CliqueUpdate::total_cliques>("totalPodCliquesCount"),
    field<&CliqueUpdate::replicas>("readyReplicaIndicesSelectedToUpdate", kSelectedReplicasSchema),
};
constexpr Schema kGroupUpdateSchema{OfCustomKind{}, "PodCliqueScalingGroupUpdateProgress", kGroupUpdateFields};

constexpr Field kSetStatusFields[] = {
    field<&CliqueStatus::observed_generation>("observedGeneration"),
    field<&CliqueStatus::conditions>("conditions", kMetaConditionSchema),
    field<&CliqueStatus::replicas>("replicas"),
    field<&CliqueStatus::updated_replicas>("updatedReplicas").pointer(),
    field<&CliqueStatus::available_replicas>("availableReplicas").pointer(),
    field<&CliqueStatus::set_hash>("currentGenerationHash"),
    field<&CliqueStatus::update>("updateProgress", kSetUpdateSchema),
};

constexpr Field kCliqueStatusFields[] = {
    field<&CliqueStatus::observed_generation>("observedGeneration"),
    field<&CliqueStatus::replicas>("replicas"),
    field<&CliqueStatus::ready_replicas>("readyReplicas").pointer(),
    field<&CliqueStatus::updated_replicas>("updatedReplicas").pointer(),
    field<&CliqueStatus::gated_replicas>("scheduleGatedReplicas").pointer(),
    field<&CliqueStatus::scheduled_replicas>("scheduledReplicas").pointer(),
    field<&CliqueStatus::selector>("hpaPodSelector"),
    field<&CliqueStatus::conditions>("conditions", kMetaConditionSchema),
    field<&CliqueStatus::set_hash>("currentPodCliqueSetGenerationHash"),
    field<&CliqueStatus::template_hash>("currentPodTemplateHash"),
    field<&CliqueStatus::update>("updateProgress", kCliqueUpdateSchema),
};

constexpr Field kGroupStatusFields[] = {
    field<&CliqueStatus::replicas>("replicas"),
    field<&CliqueStatus::scheduled_replicas>("scheduledReplicas").pointer(),
    field<&CliqueStatus::available_replicas>("availableReplicas").pointer(),
    field<&CliqueStatus::updated_replicas>("updatedReplicas").pointer(),
    field<&CliqueStatus::selector>("selector"),
    field<&CliqueStatus::observed_generation>("observedGeneration"),
    field<&CliqueStatus::conditions>("conditions", kMetaConditionSchema),
    field<&CliqueStatus::set_hash>("currentPodCliqueSetGenerationHash"),
    field<&CliqueStatus::update>("updateProgress", kGroupUpdateSchema),
};

}  // namespace

constinit const Schema kPodCliqueSetStatusSchema{OfCustomKind{}, "PodCliqueSetStatus", kSetStatusFields};
constinit const Schema kPodCliqueStatusSchema{OfCustomKind{}, "PodCliqueStatus", kCliqueStatusFields};
constinit const Schema kPodCliqueScalingGroupStatusSchema{OfCustomKind{}, "PodCliqueScalingGroupStatus",
                                                          kGroupStatusFields};

namespace {

constexpr Field kSetFields[] = {
    field<&PodCliqueSet::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSetSpecSchema),
    field<&PodCliqueSet::status>("status", kPodCliqueSetStatusSchema),
};

constexpr Field kCliqueFields[] = {
    field<&PodClique::metadata>("metadata", kObjectMetaSchema),
    field<&PodClique::spec>("spec", kCliqueSpecSchema),
    field<&PodClique::status>("status", kPodCliqueStatusSchema),
};

constexpr Field kGroupSpecFields[] = {
    field<&PodCliqueScalingGroup::replicas>("replicas").pointer(),
    field<&PodCliqueScalingGroup::min_available>("minAvailable"),
    field<&PodCliqueScalingGroup::cliques>("cliqueNames"),
};
constexpr Schema kGroupSpecSchema{OfCustomKind{}, "PodCliqueScalingGroupSpec", kGroupSpecFields};

constexpr Field kGroupFields[] = {
    field<&PodCliqueScalingGroup::metadata>("metadata", kObjectMetaSchema),
    part("spec", kGroupSpecSchema),
    field<&PodCliqueScalingGroup::status>("status", kPodCliqueScalingGroupStatusSchema),
};

}  // namespace

constinit const Schema kPodCliqueSetSchema{OfCustomKind{}, "PodCliqueSet", kSetFields};
constinit const Schema kPodCliqueSchema{OfCustomKind{}, "PodClique", kCliqueFields};
constinit const Schema kPodCliqueScalingGroupSchema{OfCustomKind{}, "PodCliqueScalingGroup", kGroupFields};

}  // namespace loadline::kube
