#pragma once

#include <string>

#include "foundation/document/value.h"
#include "objects/schema/type.h"

namespace loadline::api {

/// What keeps apimachinery's converter from making a Go object of a document in memory, in its words:
/// `cannot restore struct from: string`. Strategic patches and applies end in it, where other requests end in the JSON
/// decoder (conform). Empty: nothing does. Fields are looked at in the order of Go's struct. What is shared with
/// `sound` (may be null), a document in which there is nothing, is not looked at. O(size of the rest).
/// Source: k8s.io/apimachinery/pkg/runtime/converter.go, fromUnstructured, v0.36.
[[nodiscard]] std::string find_conversion_fault(const document::Value& value, const schema::Type& type,
                                                const document::Value* sound = nullptr);

}  // namespace loadline::api
