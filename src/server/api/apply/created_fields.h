#pragma once

#include <optional>
#include <string>

#include "foundation/document/value.h"
#include "objects/schema/type.h"
#include "server/api/apply/field_set.h"

namespace loadline::api {

/// What a creation sets, as managedFields says it (`{"f:spec":{"f:replicas":{}}}`; `{}` if that is nothing): whatever
/// differs from `blank`, the object of the kind that says nothing, but for the fields that have no owner and those that
/// `resets` takes away.
///
/// It is what compare_fields finds to be added or modified, written down in one walk: most writes are creations, and
/// they need no set. Nothing if only a set can tell: `blank` has elements of lists, or a value of another form.
/// O(size * log(members)).
std::optional<std::string> created_fields_v1(const document::Value& blank, const document::Value& object,
                                             const schema::Type& type, const FieldSet* resets);

}  // namespace loadline::api
