#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "server/api/defaults/draft.h"

namespace loadline::api {

/// What fills in an object of a type beyond what schema::default_fields() can say; called after the type's rows there,
/// and before what is below the object is filled in.
struct DefaultRule {
  std::string_view type;
  void (*apply)(Draft& object, Instant now);
};

/// A whole number as a default.
inline document::Value number(std::int64_t value) { return document::Value(value); }

// Each in the file of that name.
std::span<const DefaultRule> core_rules();
std::span<const DefaultRule> extension_rules();
std::span<const DefaultRule> pod_rules();
std::span<const DefaultRule> service_rules();
std::span<const DefaultRule> stateful_set_rules();

}  // namespace loadline::api
