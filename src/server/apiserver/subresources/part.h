#pragma once

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/call.h"

namespace loadline::apiserver {

/// The old object with another spec or status: of the metadata, only what guards the write (uid, resourceVersion) and
/// managedFields come from `wanted`. Source: ResetObjectMetaForStatus of k8s.io/apimachinery/pkg/apis/meta/v1, v0.36.
document::Value with_part_of(const document::Value& wanted, const document::Value& old, std::string_view part,
                             document::Value changed);

/// The same for a pod's spec, which counts its changes in the generation.
document::Value with_pod_specification(const document::Value& wanted, const document::Value& old, document::Value spec);

/// The field of an array's element: `spec.containers[1].name`.
std::string element_path(std::string_view array, std::size_t index, std::string_view field = {});

/// Null and absent are the same: null.
const document::Value* part_of(const document::Value& object, std::initializer_list<std::string_view> names);
const document::Array& elements_of(const document::Value& object, std::initializer_list<std::string_view> names);

}  // namespace loadline::apiserver
