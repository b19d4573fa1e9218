#pragma once

#include <span>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

/// What is wanted of an object's text. A path leads from the top, through arrays as if they were not there:
/// "spec.containers.name".
struct OutlineWish {
  std::span<const std::string_view> kept = {};      ///< members with all that is below them; empty: everything
  std::span<const std::string_view> left_out = {};  ///< of that
  std::string_view cut = {};                        ///< a member at the top whose text is wanted, too
};

struct Outline {
  Value object;          ///< null if it could not be read
  std::string_view cut;  ///< part of the text; empty if there is no such member
};

/// Reads a few members of the text of an object that write_json made: for callers that look at very many. What is not
/// wanted is passed over, and no places are noted. Of texts of another form nothing is read; read_json knows what they
/// are. O(text), a fraction of read_json.
Outline read_outline(std::string_view text, const OutlineWish& wish);

}  // namespace loadline::document
