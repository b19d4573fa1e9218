#pragma once

#include <string>
#include <string_view>

#include "foundation/document/patch_error.h"
#include "objects/schema/type.h"

namespace loadline::api {

/// Where a strategic merge is in a type. Errors are in the words of upstream's look-up in Go's structs.
struct PatchSchema {
  const schema::Type* type = nullptr;
  bool is_pointer = false;  ///< the Go field is a pointer to that type

  struct Found;
  /// The field of that name and its type.
  [[nodiscard]] tl::expected<Found, document::PatchError> find(std::string_view name) const;
  /// The field of that name and the type of its elements.
  [[nodiscard]] tl::expected<Found, document::PatchError> find_list(std::string_view name) const;
  /// What reflection calls it: "struct", "map", "ptr"…
  [[nodiscard]] std::string_view kind() const;
};

struct PatchSchema::Found {
  PatchSchema schema;
  const schema::Field* field;
};

}  // namespace loadline::api
