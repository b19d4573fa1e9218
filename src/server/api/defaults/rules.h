#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "server/api/defaults/draft.h"

namespace loadline::api {

/// An object without members, as a default.
struct EmptyObject {};

/// A field that gets a default value whenever the object gives it none. A field that is no pointer in Go has none if it
/// is zero.
struct DefaultField {
  std::string_view type;  ///< "io.k8s.api.core.v1.Container"
  std::string_view field;
  std::variant<std::string_view, std::int64_t, bool, EmptyObject> value;
};

/// What fills in an object of a type by more than constants; called before the constants of the type and before what is
/// below it.
struct DefaultRule {
  std::string_view type;
  void (*apply)(Draft& object, Instant now);
};

/// A whole number as a default.
inline document::Value number(std::int64_t value) { return document::Value(value); }

/// A map of resource names to quantities, whose amounts are rounded up to thousandths.
struct AmountsField {
  std::string_view type;
  std::string_view field;
};

std::span<const DefaultField> default_fields();
std::span<const AmountsField> amounts_fields();

// Each in the file of that name.
std::span<const DefaultRule> core_rules();
std::span<const DefaultRule> extension_rules();
std::span<const DefaultRule> pod_rules();
std::span<const DefaultRule> service_rules();
std::span<const DefaultRule> workload_rules();

}  // namespace loadline::api
