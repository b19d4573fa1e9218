#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "server/store/store.h"

namespace loadline::apiserver {

// What every object's document says of itself.
std::string_view name_of(const document::Value& object);
std::string_view namespace_of(const document::Value& object);
std::string_view uid_of(const document::Value& object);
std::string_view resource_version_of(const document::Value& object);
std::int64_t generation_of(const document::Value& object);
std::vector<std::string_view> finalizers_of(const document::Value& object);
/// Whether the object has a deletionTimestamp.
bool is_being_deleted(const document::Value& object);
std::optional<std::int64_t> deletion_grace_period_of(const document::Value& object);

/// The object with that member of `metadata`; a null value takes it away.
document::Value with_metadata(document::Value object, std::string_view member, document::Value value);
document::Value with_finalizers(document::Value object, const std::vector<std::string_view>& finalizers);

/// The object as it is stored: with its resourceVersion, the members of the object and of its metadata in upstream's
/// order, and without a null or empty part in metadata.
document::Value stamped(document::Value object, store::Revision revision);

/// A random (version 4) UUID.
std::string make_uid(Rng& rng);

}  // namespace loadline::apiserver
