#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

/// The part of Go's text/template that people write in Stages: text; `{{ pipeline }}` with fields (`.spec.nodeName`),
/// variables (`$x.y`), strings, numbers, booleans, parentheses and functions; `$x := …`; `if`, `else if`, `else`,
/// `range` (with `$index, $item :=`), `with`, `end`; comments; `{{-` and `-}}`.
///
/// Built in are and, or, not, eq, ne, lt, le, gt, ge, index, len, default, Quote; a host adds its own. What is not
/// there is null: it prints "<no value>", counts as false, and has no elements. Output is at most 1 MiB, and every
/// run ends: a million parts are run at most. One that was not parsed prints nothing.
class GoTemplate {
 public:
  using Function = std::function<Result<document::Value>(const std::vector<document::Value>& arguments)>;
  using Functions = std::map<std::string, Function, std::less<>>;

  /// Errors say what cannot be read.
  static Result<GoTemplate> parse(std::string_view text);
  /// Errors: a function that is not known, or complains.
  [[nodiscard]] Result<std::string> execute(const document::Value& data, const Functions& functions) const;

  struct Node;  ///< the template's parts

 private:
  std::shared_ptr<const std::vector<Node>> nodes_;  // null: nothing
};

}  // namespace loadline::kubelet
