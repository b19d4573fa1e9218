#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace loadline::schema {

/// A regular expression of RE2's syntax, which is Go's: matching takes time linear in the text, whatever the pattern.
class Pattern {
 public:
  /// Errors are Go's: "error parsing regexp: missing closing ): `a(b`".
  static Result<Pattern> compile(std::string_view text);

  /// Whether any part of the text matches.
  [[nodiscard]] bool matches(std::string_view text) const;
  /// The first part that matches, leftmost and as Perl would choose it; nothing if none does.
  [[nodiscard]] std::optional<std::string> find(std::string_view text) const;
  /// All such parts that do not overlap, at most `limit` (-1: all). Views of `text`.
  [[nodiscard]] std::vector<std::string_view> find_all(std::string_view text, std::int64_t limit) const;
  [[nodiscard]] std::string text() const;

 private:
  struct Library;
  explicit Pattern(std::shared_ptr<const Library> library) : library_(std::move(library)) {}

  std::shared_ptr<const Library> library_;
};

}  // namespace loadline::schema
