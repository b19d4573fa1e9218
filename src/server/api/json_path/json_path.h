#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"

namespace loadline::api {

/// A JSONPath in Kubernetes' dialect, as printer columns, selectable fields and scale paths use it, without the braces:
/// `.spec.size`, `.metadata.labels.app\.kubernetes\.io/name`, `['key']`, `[0]`, `[-1]`, `[1:3]`, `[::2]`, `[*]`, `.*`,
/// `[0,2]`, `..name`, `.status.conditions[?(@.type=="Ready")].status` (both kinds of quotes; == != < <= > >=, or
/// nothing to ask whether something is there). As upstream, what stands in `['…']` is a path again, so its dots need
/// a backslash, and a filter holds no brackets.
/// Differs from upstream: `{`, `}`, `range` and `end` make templates and are refused; `*` of a map follows the order of
/// the document, not chance; `*` of a string is nothing, not its bytes.
///
/// Parsed once, evaluated often; immutable and safe to share between threads.
/// Source: k8s.io/client-go/util/jsonpath, v0.36.
class JsonPath {
 public:
  /// Texts longer than 4 KiB are refused.
  static Result<JsonPath> parse(std::string_view text);

  /// What the path leads to, in order; empty if nothing is there. Some are literals of the path itself, so both the
  /// path and `root` must outlive the result. Errors: an index out of bounds, an index or a filter on what is no list,
  /// a comparison of different types, and more than 100,000 values on the way.
  [[nodiscard]] Result<std::vector<const document::Value*>> find(const document::Value& root) const;

  struct Step;

 private:
  std::shared_ptr<const std::vector<Step>> steps_;
};

/// A value as a JSONPath template prints it: strings bare, numbers as Go's fmt does, lists and maps as JSON with sorted
/// keys, `<no value>` for null.
std::string printed(const document::Value& value);

}  // namespace loadline::api
