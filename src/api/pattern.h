#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace loadline::api {

/// A regular expression of RE2's syntax, which is Go's: matching takes time linear in the text, whatever the pattern.
class Pattern {
 public:
  /// Errors are Go's: "error parsing regexp: missing closing ): `a(b`".
  static Result<Pattern> compile(std::string_view text);

  /// Whether any part of the text matches.
  [[nodiscard]] bool matches(std::string_view text) const;
  [[nodiscard]] std::string text() const;

 private:
  struct Library;
  explicit Pattern(std::shared_ptr<const Library> library) : library_(std::move(library)) {}

  std::shared_ptr<const Library> library_;
};

}  // namespace loadline::api
