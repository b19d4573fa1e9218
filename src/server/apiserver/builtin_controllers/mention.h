#pragma once

#include <string_view>

#include "server/store/object.h"

namespace loadline::apiserver {

/// Whether the text of an object holds that member's name anywhere: a text that does not need not be parsed. Every
/// write asks, so it must cost little: the library's search beats std::string_view's, which stops at every quote.
[[nodiscard]] bool mentions(const store::Object& object, std::string_view member);

}  // namespace loadline::apiserver
