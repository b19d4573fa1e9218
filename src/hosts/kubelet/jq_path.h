#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"

namespace loadline::kubelet {

/// The part of jq that Stages use: `.status.phase`, `.metadata.annotations["a/b"]`, `.status.conditions.[].type`, and
/// steps of these joined by `|`, with `select(PATH == "text")` and `select(PATH != "text")` between them.
class JqPath {
 public:
  /// Errors say what cannot be read.
  static Result<JqPath> parse(std::string_view text);

  /// What the path leads to in the document, without nulls. O(values on the way).
  [[nodiscard]] std::vector<document::Value> evaluate(const document::Value& document) const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { kMember, kEach, kSelect };
    Kind kind = Kind::kMember;
    std::string name;             ///< of the member; what is compared with
    std::vector<Step> condition;  ///< of a select: the path whose value is compared
    bool is_equal = true;
  };
  class Parser;
  static std::vector<document::Value> walk(const std::vector<Step>& steps, std::vector<document::Value> values);

  std::vector<Step> steps_;
};

/// A value as text: strings without quotes.
std::string plain_text(const document::Value& value);

}  // namespace loadline::kubelet
