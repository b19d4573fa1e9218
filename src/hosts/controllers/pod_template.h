#pragma once

#include "brain/workloads/pod_draft.h"
#include "foundation/document/value.h"

namespace loadline::controllers {

/// The pod that a controller makes of its template: labels, annotations, finalizers and the whole spec as they stand
/// there, what the draft of all its pods puts on top, and the controller as its owner.
/// What is copied is shared, so that a thousand pods cost little more than one.
/// Source: GetPodFromTemplate in pkg/controller/controller_utils.go, v1.36.
document::Value pod_from_template(const document::Value& pod_template, const workloads::PodDraft& shared,
                                  document::Value owner_reference);

/// Labels or annotations with those of a draft.
document::Value with_entries(document::Value map, const workloads::ObjectDraft::Entries& entries);

/// The pod with what a draft of its own puts on top.
document::Value with_draft(document::Value pod, const workloads::PodDraft& draft);

}  // namespace loadline::controllers
