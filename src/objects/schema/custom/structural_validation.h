#pragma once

#include <string>

#include "foundation/document/value.h"
#include "objects/schema/field_error.h"

namespace loadline::schema {

/// What keeps an openAPIV3Schema at `path` from being structural: every value has a type, and what alternatives (allOf,
/// anyOf, oneOf, not) speak of stands outside of them, too. Sorted, as upstream's.
/// Source: apiextensions-apiserver's pkg/apiserver/schema/{validation,complete}.go, v0.36.
[[nodiscard]] FieldErrors validate_structural(const document::Value& schema, const std::string& path);

}  // namespace loadline::schema
