#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"

namespace loadline::trace {

/// What is wrong at a place of a trace: `file:line:column: field: message (hint)`, leaving out what is unknown.
tl::unexpected<Error> failure_at(const SourcePosition& at, std::string_view field, std::string_view message,
                                 std::string_view hint = {});

/// A hint for a name that is none of those known: the nearest one, of those that begin alike if one is near enough;
/// else all of them.
std::string hint_for_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace loadline::trace
