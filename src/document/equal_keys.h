#pragma once

#include <cstddef>
#include <cstdint>

#include "document/value.h"

namespace loadline::document {

/// Which value a reader keeps when a key comes twice in one object. It reports the second either way.
enum class EqualKeys : std::uint8_t {
  kFirst,   ///< the first one: what people that plan with manifests see named in the report
  kLast,    ///< the last one, as Go reads YAML, and JSON into maps
  kMerged,  ///< the last one, but objects are read into each other, as Go reads JSON into structs
};

/// Lets the later of two values under one key take effect.
class LaterValues {
 public:
  explicit LaterValues(EqualKeys rule) : rule_(rule) {}

  /// O(members of both) where objects are merged.
  void put(Value& kept, Value later);

 private:
  /// Each merge copies an object, and whoever sends a text with a key a hundred thousand times shall not be served
  /// that: beyond this many the last value replaces the others.
  static constexpr std::size_t kMostMerges = 100;

  Value merged(const Value& kept, const Value& later);

  EqualKeys rule_;
  std::size_t merges_ = 0;
};

}  // namespace loadline::document
