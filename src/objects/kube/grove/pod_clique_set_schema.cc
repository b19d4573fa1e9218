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

constexpr Field kCliqueTemplateFields[] = {
    field<&CliqueTemplate::name>("name"),
    custom<read_labels>("labels"),
    custom<read_annotations>("annotations"),
    field<&CliqueTemplate::spec>("spec", kCliqueSpecSchema),
};
constexpr Schema kCliqueTemplateSchema{OfCustomKind{}, "PodCliqueTemplateSpec", kCliqueTemplateFields};

constexpr Field kGroupConfigFields[] = {
    field<&CliqueScalingGroup::name>("name"),
    field<&CliqueScalingGroup::cliques>("cliqueNames"),
    field<&CliqueScalingGroup::annotations>("annotations"),
    field<&CliqueScalingGroup::replicas>("replicas"),
    field<&CliqueScalingGroup::min_available>("minAvailable"),
    field<&CliqueScalingGroup::autoscaling>("scaleConfig", kAutoscalingSchema),
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
    field<&PodCliqueSet::scaling_groups>("podCliqueScalingGroups", kGroupConfigSchema),
};
constexpr Schema kSetTemplateSchema{OfCustomKind{}, "PodCliqueSetTemplateSpec", kSetTemplateFields};

constexpr Field kSetSpecFields[] = {
    field<&PodCliqueSet::replicas>("replicas"),
    part("template", kSetTemplateSchema),
};
constexpr Schema kSetSpecSchema{OfCustomKind{}, "PodCliqueSetSpec", kSetSpecFields};

constexpr Field kSetStatusFields[] = {
    field<&CliqueStatus::replicas>("replicas"),
    field<&CliqueStatus::updated_replicas>("updatedReplicas"),
    field<&CliqueStatus::available_replicas>("availableReplicas"),
    field<&CliqueStatus::observed_generation>("observedGeneration"),
    field<&CliqueStatus::conditions>("conditions", kMetaConditionSchema),
};
constexpr Schema kSetStatusSchema{OfCustomKind{}, "PodCliqueSetStatus", kSetStatusFields};

constexpr Field kCliqueStatusFields[] = {
    field<&CliqueStatus::replicas>("replicas"),
    field<&CliqueStatus::ready_replicas>("readyReplicas"),
    field<&CliqueStatus::updated_replicas>("updatedReplicas"),
    field<&CliqueStatus::scheduled_replicas>("scheduledReplicas"),
    field<&CliqueStatus::gated_replicas>("scheduleGatedReplicas"),
    field<&CliqueStatus::observed_generation>("observedGeneration"),
    field<&CliqueStatus::conditions>("conditions", kMetaConditionSchema),
};
constexpr Schema kCliqueStatusSchema{OfCustomKind{}, "PodCliqueStatus", kCliqueStatusFields};

constexpr Field kGroupStatusFields[] = {
    field<&CliqueStatus::replicas>("replicas"),
    field<&CliqueStatus::updated_replicas>("updatedReplicas"),
    field<&CliqueStatus::available_replicas>("availableReplicas"),
    field<&CliqueStatus::scheduled_replicas>("scheduledReplicas"),
    field<&CliqueStatus::observed_generation>("observedGeneration"),
    field<&CliqueStatus::conditions>("conditions", kMetaConditionSchema),
};
constexpr Schema kGroupStatusSchema{OfCustomKind{}, "PodCliqueScalingGroupStatus", kGroupStatusFields};

constexpr Field kSetFields[] = {
    field<&PodCliqueSet::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSetSpecSchema),
    field<&PodCliqueSet::status>("status", kSetStatusSchema),
};

constexpr Field kCliqueFields[] = {
    field<&PodClique::metadata>("metadata", kObjectMetaSchema),
    field<&PodClique::spec>("spec", kCliqueSpecSchema),
    field<&PodClique::status>("status", kCliqueStatusSchema),
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
    field<&PodCliqueScalingGroup::status>("status", kGroupStatusSchema),
};

}  // namespace

constinit const Schema kPodCliqueSetSchema{OfCustomKind{}, "PodCliqueSet", kSetFields};
constinit const Schema kPodCliqueSchema{OfCustomKind{}, "PodClique", kCliqueFields};
constinit const Schema kPodCliqueScalingGroupSchema{OfCustomKind{}, "PodCliqueScalingGroup", kGroupFields};

}  // namespace loadline::kube
