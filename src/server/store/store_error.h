#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "server/store/object.h"

namespace loadline::store {

/// Why the store did not do something: what a caller can react to, and a sentence for a person.
struct StoreError {
  enum class Code : std::uint8_t {
    kExists,       ///< the write wanted the object to be absent; `current` is what is there
    kNotFound,     ///< there is no such object
    kConflict,     ///< the object is at another revision than expected; `current` is what is there
    kCompacted,    ///< history no longer reaches back to `requested`, only to `oldest`
    kFuture,       ///< the store is at `oldest` and has not got to `requested`
    kUnavailable,  ///< the log lags too far behind, or could not be written; the same call may succeed later
  };

  Code code = Code::kNotFound;
  std::string message = {};
  ObjectPtr current = {};
  Revision requested = 0;
  Revision oldest = 0;
};

template <class T>
using StoreResult = tl::expected<T, StoreError>;

[[nodiscard]] StoreError compacted_error(Revision requested, Revision oldest);
[[nodiscard]] StoreError future_error(Revision requested, Revision latest);

}  // namespace loadline::store
