#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"

namespace loadline::trace {

/// What is wrong at a place of a trace: `file:line:column: field: message (hint)`, leaving out what is unknown.
tl::unexpected<Error> failure_at(const SourcePosition& at, std::string_view field, std::string_view message,
                                 std::string_view hint = {});

}  // namespace loadline::trace
