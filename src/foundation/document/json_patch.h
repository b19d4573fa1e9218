#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/patch_error.h"
#include "foundation/document/value.h"

namespace loadline::document {

/// A JSON patch (RFC 6902) as kube-apiserver reads and applies it (evanphx/json-patch v4), which is more lenient than
/// the RFC: "replace" of a member that is absent adds it, an index may be negative (from the end), and an operation
/// without a value means null.
class JsonPatch {
 public:
  /// A patch with more operations is too large.
  static constexpr std::size_t kMaxOperations = 10'000;
  /// What all "copy" operations of a patch may add together, in bytes of JSON.
  static constexpr std::size_t kMaxCopiedBytes = 3UL * 1024 * 1024;
  /// The deepest document that a patch may lead to: as deep as the reader accepts.
  static constexpr std::size_t kMaxDepth = 1000;

  static tl::expected<JsonPatch, PatchError> decode(const Value& patch);

  /// What strict decoding finds: `json patch unknown field "[0].foo"`. (The reader reports duplicates.)
  [[nodiscard]] const std::vector<std::string>& strict_errors() const { return strict_errors_; }

  /// Applies all operations, or none. An operation costs O(tokens of its path + members of the last container it
  /// touches); what an operation does not touch stays shared with `document`.
  [[nodiscard]] PatchResult apply(const Value& document) const;

 private:
  std::vector<Value> operations_;  // objects or null; "op", "path" and "from" are strings or null
  std::vector<std::string> strict_errors_;
};

/// Decodes and applies.
PatchResult json_patch(const Value& document, const Value& patch);

}  // namespace loadline::document
