#pragma once

#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "server/api/apply/managed_fields.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/call.h"

namespace loadline::apiserver {

/// The manager that a write counts as: the request's fieldManager, else the user agent up to its first slash.
std::string manager_of(const Call& call, const WriteOptions& options);

/// `object` with metadata.managedFields brought up to date for a write that is no apply; `old` is null for a creation.
/// Objects are in the version that they are kept in.
document::Value with_managed_fields(const Call& call, const WriteOptions& options, const document::Value* old,
                                    document::Value object, Instant now);

/// How the fields of the resource are managed at the endpoint of the call.
api::FieldManagement field_management(const Call& call, Instant now);

/// What a creation is compared with: an object that says nothing.
document::Value blank_object(const ServedResource& served);

}  // namespace loadline::apiserver
