#pragma once

#include "foundation/document/value.h"
#include "objects/schema/field_error.h"

namespace loadline::schema {

/// What is wrong with a CustomResourceDefinition of apiextensions.k8s.io/v1, in upstream's words: names, versions,
/// schemas (structural, see schema_validation.h), subresources, columns, selectable fields, conversion, and, against
/// `old` (null: the definition is new), what may not change. metadata is validated elsewhere but for its name, which
/// must be that of the resource. Where all versions say the same, paths are upstream's, which then keeps it once:
/// `spec.validation.openAPIV3Schema…` rather than `spec.versions[0].schema.openAPIV3Schema…`.
/// REQUIRES: its defaults are set.
/// Source: apiextensions-apiserver's pkg/apis/apiextensions/validation, v0.36.
[[nodiscard]] FieldErrors validate_definition(const document::Value& definition, const document::Value* old);

}  // namespace loadline::schema
