#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"
#include "server/api/apply/managed_fields.h"

namespace loadline::api {

/// Why a configuration was not applied.
struct ApplyError {
  enum class Kind : std::uint8_t {
    kBadRequest,  ///< 400
    kConflict,    ///< 409, with causes
    kInternal,    ///< 500
  };
  struct Cause {
    std::string message;  ///< `conflict with "m1" using apps/v1`
    std::string field;    ///< ".spec.replicas"

    friend bool operator==(const Cause&, const Cause&) = default;
  };

  Kind kind = Kind::kInternal;
  std::string message;
  std::vector<Cause> causes;  ///< FieldManagerConflict, one a field, ordered by manager

  friend bool operator==(const ApplyError&, const ApplyError&) = default;
};

/// Server-side apply: merges `applied` into `live`, removes what `manager` applied before and does not any more, unless
/// others own it, and records ownership. Fields that others own otherwise are conflicts, unless `force`.
///
/// For a create, `live` is the zero value of the type (of a custom resource: apiVersion and kind only). The result
/// still needs to be decoded and defaulted: what lost its last field is null. If nothing changes, it is `live`, with
/// its entries as they are after this apply; times do not change then. `kind` is what the endpoint takes. Source:
/// apimachinery v0.36, pkg/util/managedfields; structured-merge-diff v6.
tl::expected<document::Value, ApplyError> apply(const document::Value& live, const document::Value& applied,
                                                std::string_view manager, bool force,
                                                const schema::GroupVersionKind& kind,
                                                const FieldManagement& management);

}  // namespace loadline::api
