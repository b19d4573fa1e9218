#include "objects/kube/meta_schema.h"

#include "objects/kube/decoder.h"

namespace loadline::kube {

constexpr Field kManagedFieldsEntryFields[] = {
    known("apiVersion", kString), known("fieldsType", kString), known("fieldsV1", kAnyValue),
    known("manager", kString),    known("operation", kString),  known("subresource", kString),
    known("time", kTime),
};
constexpr Schema kManagedFieldsEntrySchema{"ManagedFieldsEntry", kManagedFieldsEntryFields};

constexpr Field kOwnerReferenceFields[] = {
    field<&OwnerReference::api_version>("apiVersion").required(),
    field<&OwnerReference::kind>("kind").required(),
    known("blockOwnerDeletion", kBoolean),
    field<&OwnerReference::controller>("controller"),
    field<&OwnerReference::name>("name").required(),
    field<&OwnerReference::uid>("uid").required(),
};
constexpr Schema kOwnerReferenceSchema{"OwnerReference", kOwnerReferenceFields};

constexpr Field kObjectMetaFields[] = {
    field<&ObjectMeta::annotations>("annotations"),
    field<&ObjectMeta::creation_timestamp>("creationTimestamp"),
    field<&ObjectMeta::deletion_grace_period_seconds>("deletionGracePeriodSeconds"),
    field<&ObjectMeta::deletion_timestamp>("deletionTimestamp"),
    field<&ObjectMeta::finalizers>("finalizers"),
    field<&ObjectMeta::generate_name>("generateName"),
    field<&ObjectMeta::generation>("generation"),
    field<&ObjectMeta::labels>("labels"),
    known("managedFields", list_of(object(kManagedFieldsEntrySchema))),
    field<&ObjectMeta::name>("name"),
    field<&ObjectMeta::namespace_>("namespace"),
    field<&ObjectMeta::owner_references>("ownerReferences", list_of(object(kOwnerReferenceSchema))),
    known("resourceVersion", kString),
    known("selfLink", kString),
    field<&ObjectMeta::uid>("uid"),
};
constinit const Schema kObjectMetaSchema{"ObjectMeta", kObjectMetaFields};

constexpr Field kLabelSelectorRequirementFields[] = {
    field<&LabelSelectorRequirement::key>("key").required(),
    field<&LabelSelectorRequirement::op>("operator").required(),
    field<&LabelSelectorRequirement::values>("values"),
};
constexpr Schema kLabelSelectorRequirementSchema{"LabelSelectorRequirement", kLabelSelectorRequirementFields};

constexpr Field kLabelSelectorFields[] = {
    field<&LabelSelector::match_expressions>("matchExpressions", list_of(object(kLabelSelectorRequirementSchema))),
    field<&LabelSelector::match_labels>("matchLabels"),
};
constinit const Schema kLabelSelectorSchema{"LabelSelector", kLabelSelectorFields};

constexpr Field kMetaConditionFields[] = {
    known("lastTransitionTime", kTime).required(), known("message", kString).required(),
    known("observedGeneration", kInt64),           known("reason", kString).required(),
    known("status", kString).required(),           known("type", kString).required(),
};
constinit const Schema kMetaConditionSchema{"Condition", kMetaConditionFields};

}  // namespace loadline::kube
