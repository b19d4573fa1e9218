#pragma once

#include <initializer_list>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {

// What upstream says of a refused object otherwise than the typed tables do, whose messages are written for authors of
// manifests.

/// Brings errors into the order in which upstream looks at the parts of an object: {"metadata", "spec.schedule"}. What
/// is about no named part comes last; within a part the order stays.
void order_by_parts(kube::FieldErrors& errors, std::initializer_list<std::string_view> parts);

/// A workload without a selector is told so twice: it is required, and it does not match the template.
void add_unmatched_template(kube::FieldErrors& errors, const document::Value& workload);

/// An empty operator of a toleration is shown as it is written, and not as the Equal that it means.
void show_unwritten_operators(kube::FieldErrors& errors, const document::Value& pod);

/// Errors about elements of a list that upstream reports about the list: `spec.accessModes`, not `spec.accessModes[0]`.
void name_the_list(kube::FieldErrors& errors, std::string_view list);

}  // namespace loadline::apiserver
