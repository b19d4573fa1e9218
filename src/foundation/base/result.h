#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace loadline {

/// What went wrong, as a sentence for a person: no trailing period, no newline.
struct Error {
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

/// A value, or why there is none. For what can happen; assertions are for what cannot.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message) { return tl::unexpected<Error>(Error{std::move(message)}); }

}  // namespace loadline
