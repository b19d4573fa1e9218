#pragma once

#include <string>
#include <string_view>

namespace loadline::schema {

/// `"text"` with Go's escapes. An object, not a function: beside a function the compiler would look at std::quoted too,
/// which some libraries' <chrono> brings, and prefer it for a std::string.
struct Quoted {
  std::string operator()(std::string_view text) const;
};
inline constexpr Quoted quoted;

}  // namespace loadline::schema
