#pragma once

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "objects/schema/conform.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/field_error.h"
#include "objects/schema/type.h"

namespace loadline::schema {

/// What the server makes of a custom object that it reads: conform() for kinds that come from a
/// CustomResourceDefinition. Fields that the schema does not know are dropped and reported (below
/// x-kubernetes-preserve-unknown-fields they stay); nulls go unless the schema is nullable or has a default; defaults
/// are set; metadata, of embedded objects too, becomes what ObjectMeta can hold; members are sorted by name.
/// `object_meta` is the type of metadata. Findings: duplicates first, then unknown fields by path, as upstream.
/// Source: apiextensions-apiserver's pruning, defaulting and objectmeta, v0.36.
[[nodiscard]] Conformed conform_custom(const document::Value& object, const ValueRules& rules, const Type& object_meta,
                                       const Diagnostics& duplicates = {});

/// Everything that is wrong with a custom object by its schema, in upstream's words: values, embedded objects,
/// duplicates in lists that are sets or maps, x-kubernetes-validations. `old` is null for a new object; what has not
/// changed since is not complained of. Metadata of the object itself is validated as every kind's.
/// REQUIRES: the object came from conform_custom().
[[nodiscard]] FieldErrors validate_custom(const document::Value& object, const document::Value* old,
                                          const ValueRules& rules);

/// The value with the members of all its objects sorted, as Go's encoder writes maps. Shared if they are.
[[nodiscard]] document::Value with_sorted_members(const document::Value& value);

}  // namespace loadline::schema
