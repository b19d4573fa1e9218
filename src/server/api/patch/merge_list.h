#pragma once

#include <functional>
#include <string>

#include "foundation/document/patch_error.h"
#include "foundation/document/value.h"
#include "server/api/patch/patch_schema.h"

namespace loadline::api {

/// How the lists of a strategic merge are put together and put in order.

using ListResult = tl::expected<document::Array, document::PatchError>;

/// Merges an element of a list of objects with its patch.
using MergeElement =
    std::function<document::PatchResult(const document::Value& original, const document::Value& patch)>;

/// The list of a field with the patch's elements merged in. `original` is left as upstream's algorithm leaves the
/// array that it works in: deletions moved up, additions in the room that they left. Its order is asked for afterwards
/// if the patch sets an order, so what upstream's clients see depends on it.
ListResult merge_list(document::Array& original, const document::Array& patch, const PatchSchema& element,
                      const std::string& merge_key, const MergeElement& merge_element);

/// The scalars that are not in `removed`.
document::Array without_elements(const document::Array& list, const document::Array& removed);

/// Checks $setElementOrder against the patch of the same list: its elements must be in that order.
tl::expected<void, document::PatchError> check_element_order(const document::Array& patch, const document::Array& order,
                                                             const std::string& merge_key);

/// `list` with what `order` names in that order, and the rest, in the order of `live`, in between as `live` has it.
/// `live` and `patch` tell the kind of the elements.
ListResult order_elements(const document::Array& list, const document::Array& order, const document::Array& live,
                          const document::Array& patch, const std::string& merge_key);

}  // namespace loadline::api
