#pragma once

#include <string>

#include "foundation/document/value.h"
#include "objects/schema/field_error.h"

namespace loadline::schema {

/// What is wrong with an openAPIV3Schema at `path`: whether it is structural, whether its parts go together, whether
/// its defaults keep its own rules, and whether its patterns and expressions can be read.
/// Source: apiextensions-apiserver's pkg/apiserver/schema/{validation,complete}.go and
/// pkg/apis/apiextensions/validation, v0.36.
[[nodiscard]] FieldErrors validate_schema(const document::Value& schema, const std::string& path);

}  // namespace loadline::schema
