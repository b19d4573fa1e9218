#pragma once

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "objects/schema/type.h"
#include "server/api/apply/field_set.h"

namespace loadline::api {

/// Merges an applied configuration into a live document. Leaves are the configuration's; maps and lists with keys
/// merge; the elements of a list have the configuration's order, those that only the live list has stay in between. An
/// error tells a list of the configuration with an element twice. Source: structured-merge-diff v6, TypedValue.Merge.
Result<document::Value> merge_typed(const document::Value& live, const document::Value& applied,
                                    const schema::Type& type);

/// The document without the fields and elements of the set; what holds nothing any more becomes null.
/// Source: structured-merge-diff v6, TypedValue.RemoveItems.
document::Value without_fields(const document::Value& document, const FieldSet& removed, const schema::Type& type);

/// Checks a configuration against its type: fields that are unknown, values of a wrong type, elements twice.
/// The message lists everything that is wrong, with paths, in upstream's words.
/// Source: structured-merge-diff v6, TypedValue.Validate.
Result<void> check_typed(const document::Value& document, const schema::Type& type);

}  // namespace loadline::api
