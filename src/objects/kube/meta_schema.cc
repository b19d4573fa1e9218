#include "objects/kube/meta_schema.h"

#include "objects/kube/decoder.h"

namespace loadline::kube {

constexpr Field kOwnerReferenceFields[] = {
    field<&OwnerReference::api_version>("apiVersion"),
    field<&OwnerReference::kind>("kind"),
    field<&OwnerReference::controller>("controller"),
    field<&OwnerReference::name>("name"),
    field<&OwnerReference::uid>("uid"),
};
constexpr Schema kOwnerReferenceSchema{"io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", kOwnerReferenceFields};

constexpr Field kObjectMetaFields[] = {
    field<&ObjectMeta::annotations>("annotations"),
    field<&ObjectMeta::creation_timestamp>("creationTimestamp"),
    field<&ObjectMeta::deletion_grace_period_seconds>("deletionGracePeriodSeconds"),
    field<&ObjectMeta::deletion_timestamp>("deletionTimestamp"),
    field<&ObjectMeta::finalizers>("finalizers"),
    field<&ObjectMeta::generate_name>("generateName"),
    field<&ObjectMeta::generation>("generation"),
    field<&ObjectMeta::labels>("labels"),
    field<&ObjectMeta::name>("name"),
    field<&ObjectMeta::namespace_>("namespace"),
    field<&ObjectMeta::owner_references>("ownerReferences", kOwnerReferenceSchema),
    field<&ObjectMeta::uid>("uid"),
};
constinit const Schema kObjectMetaSchema{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", kObjectMetaFields};

constexpr Field kLabelSelectorRequirementFields[] = {
    field<&LabelSelectorRequirement::key>("key"),
    field<&LabelSelectorRequirement::op>("operator"),
    field<&LabelSelectorRequirement::values>("values"),
};
constexpr Schema kLabelSelectorRequirementSchema{"io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
                                                 kLabelSelectorRequirementFields};

constexpr Field kLabelSelectorFields[] = {
    field<&LabelSelector::match_expressions>("matchExpressions", kLabelSelectorRequirementSchema),
    field<&LabelSelector::match_labels>("matchLabels"),
};
constinit const Schema kLabelSelectorSchema{"io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", kLabelSelectorFields};

constexpr Field kMetaConditionFields[] = {
    field<&MetaCondition::last_transition_time>("lastTransitionTime"),
    field<&MetaCondition::message>("message"),
    field<&MetaCondition::observed_generation>("observedGeneration"),
    field<&MetaCondition::reason>("reason"),
    field<&MetaCondition::status>("status"),
    field<&MetaCondition::type>("type"),
};
constinit const Schema kMetaConditionSchema{"io.k8s.apimachinery.pkg.apis.meta.v1.Condition", kMetaConditionFields};

}  // namespace loadline::kube
