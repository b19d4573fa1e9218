#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::tidy {

/// One `#include`; line counts from 1.
struct Include {
  std::size_t line = 0;
  std::string name;     ///< what stands between the quotes or brackets
  bool angled = false;  ///< `<name>` rather than `"name"`
};

/// The wing and the room of a path below src: "foundation/base" for "foundation/base/id.h"; empty if it has none.
std::string_view room_of(std::string_view path);

/// A source as the rules see it.
struct SourceFile {
  SourceFile(std::string path_from_root, std::string_view text);

  std::string path;  ///< from the root of the repository: "src/foundation/base/id.h"
  std::vector<std::string> lines;
  std::vector<Include> includes;

  [[nodiscard]] bool is_header() const;
  [[nodiscard]] bool is_test() const;

  /// "foundation/base" for "src/foundation/base/id.h"; empty if it does not lie in src.
  [[nodiscard]] std::string_view room() const;

  /// The path without its folder, its ending and `_test`: what a header, its body and its test have in common.
  [[nodiscard]] std::string subject() const;
};

using SourceFiles = std::vector<SourceFile>;

/// Every .h and .cc below src/, tests/, fuzz/ and bench/ of the repository, in order of path. Leaves out tests/tidy
/// itself, whose examples break the rules on purpose.
SourceFiles read_sources(const std::filesystem::path& root);

/// The whole file; empty if it cannot be read.
std::string read_text(const std::filesystem::path& path);

}  // namespace loadline::tidy
