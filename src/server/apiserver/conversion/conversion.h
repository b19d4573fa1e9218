#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::apiserver {

/// An object of another version of the same resource, as `to` says it. Custom resources only change their apiVersion
/// (conversion strategy None), but for those of Kueue; events and autoscalers have fields of other names. The same
/// document if it is of that version already. Source: pkg/apis/{events,autoscaling}/v*/conversion.go, v1.36.
document::Value convert(const document::Value& object, const schema::GroupVersionKind& to);

/// Whether versions of a custom resource differ in more than their apiVersion here. Such an object is held against the
/// schema of the version in which it is kept.
bool has_converter(const schema::GroupVersionKind& kind);

/// A HorizontalPodAutoscaler in the other of v1 and v2; what v1 has no field for travels in annotations.
document::Value convert_autoscaler(const document::Value& object, std::string_view version);

/// An object of Kueue in the other of v1beta1 and v1beta2. What the other has no field for is dropped, as by Kueue's
/// own webhook; values of the wrong type stay, for the schema to refuse.
/// Source: kueue v0.19.2, apis/kueue/v1beta1/*_conversion.go.
document::Value convert_kueue(const document::Value& object, const schema::GroupVersionKind& to);
bool is_of_kueue(const schema::GroupVersionKind& kind);

}  // namespace loadline::apiserver
