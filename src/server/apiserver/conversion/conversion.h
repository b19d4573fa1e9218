#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::apiserver {

/// An object of another version of the same resource, as `to` says it. Custom resources only change their apiVersion
/// (conversion strategy None); events and autoscalers have fields of other names. The same document if it is of that
/// version already. Source: pkg/apis/{events,autoscaling}/v*/conversion.go, v1.36.
document::Value convert(const document::Value& object, const schema::GroupVersionKind& to);

/// A HorizontalPodAutoscaler in the other of v1 and v2; what v1 has no field for travels in annotations.
document::Value convert_autoscaler(const document::Value& object, std::string_view version);

}  // namespace loadline::apiserver
