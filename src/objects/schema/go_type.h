#pragma once

#include <string>
#include <string_view>

#include "objects/schema/type.h"

namespace loadline::schema {

/// The last part of a type's name, as Go's struct is called: "Container" of "io.k8s.api.core.v1.Container".
[[nodiscard]] std::string_view struct_name(const Type& type);

/// What reflection calls the kind of a Go value of that form: "string", "map", "slice", "struct", "int32".
[[nodiscard]] std::string_view reflected_kind(Form form);

/// The type as Go's errors name it: "[]v1.Container", "map[string]string", "int32".
[[nodiscard]] std::string go_type(const Type& type);

/// OpenAPI's default of what Go always writes, values of lists and maps among it: the zero value; null for types that
/// write themselves, such as times and quantities.
[[nodiscard]] document::Value openapi_zero(const Type& type);

/// The struct embedded in `type` that carries the field in Go ("VolumeSource"), which Go's errors name in their path;
/// empty: none does.
[[nodiscard]] std::string_view embedded_struct(const Type& type, const Field& field);

}  // namespace loadline::schema
