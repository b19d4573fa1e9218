#pragma once

#include "foundation/document/value.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/field_error.h"

namespace loadline::schema {

/// Evaluates x-kubernetes-validations, from the root down, within upstream's budget of cost for one object. Rules that
/// mention oldSelf apply only where there is an old value, or optionalOldSelf; others say nothing where the value is
/// what it was in `old`. Rules without a program are passed over: their definition's author was warned.
/// Source: apiextensions-apiserver's pkg/apiserver/schema/cel/validation.go, v0.36.
[[nodiscard]] FieldErrors check_expressions(const document::Value& object, const document::Value* old,
                                            const ValueRules& rules);

}  // namespace loadline::schema
