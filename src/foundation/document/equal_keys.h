#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"

namespace loadline::document {

/// Which value a reader keeps when a key comes twice in one object. It reports the second either way.
enum class EqualKeys : std::uint8_t {
  kRefused,  ///< the first one, and the second is an error
  kLast,     ///< the last one, with a warning, as Go reads YAML, and JSON into maps
  kMerged,   ///< the last one, but objects are read into each other, as Go reads JSON into structs; with a warning
};

// How messages about such keys end, or begin: what strict go-yaml and the API server's JSON decoder say of them.
inline constexpr std::string_view kEqualYamlKey = " already set in map";
inline constexpr std::string_view kEqualJsonKey = "duplicate field \"";

/// What a reader reports of a key that was set at `before` and again at `again`, in one file. The message and the path
/// are the reader's to add.
Diagnostic equal_keys_problem(EqualKeys rule, const std::shared_ptr<const std::string>& file, Mark before, Mark again);

/// Whether a reader's problem is a key that came twice.
bool is_equal_keys_problem(const Diagnostic& problem);

/// Makes an error of such a problem: for documents that their own programs read strictly.
void refuse_equal_keys(Diagnostic& problem);

/// Lets the later of two values under one key take effect.
class LaterValues {
 public:
  explicit LaterValues(EqualKeys rule) : rule_(rule) {}

  [[nodiscard]] EqualKeys rule() const { return rule_; }

  /// O(members of both) where objects are merged.
  void put(Member& kept, Member later);

 private:
  /// Each merge copies an object, and a client that sends a key a hundred thousand times must not cost that many
  /// copies: beyond this many merges the last value replaces the others.
  static constexpr std::size_t kMostMerges = 100;

  Value merged(const Value& kept, const Value& later);

  EqualKeys rule_;
  std::size_t merges_ = 0;
};

}  // namespace loadline::document
