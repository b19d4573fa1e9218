#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

/// Where in which input something stands. Line and column count from 1; 0 means unknown.
struct SourcePosition {
  std::shared_ptr<const std::string> file;  // null: no file (made by the program)
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class Severity : std::uint8_t {
  kAdvice,   ///< works, but hardly as its author means it to
  kWarning,  ///< accepted, and its author should change it
  kError,    ///< refused
};

/// "advice", "warning" or "error".
[[nodiscard]] std::string_view severity_word(Severity severity);

/// One thing wrong with an input, complete enough for its author to mend it.
struct Diagnostic {
  Severity severity = Severity::kError;
  SourcePosition at;
  std::string subject;  ///< the object it is in, "Pod default/web"; empty if none
  std::string path;     ///< "spec.containers[0].image"; empty: the whole document
  std::string message;  ///< what is wrong, in upstream's words where it has any
  std::string hint;     ///< what to write instead; lines after the first: an example of it; empty: nothing to suggest

  /// `file:line:column: error: Pod default/web: spec.x: message (hint)`, leaving out what is unknown.
  [[nodiscard]] std::string to_string() const;
};

using Diagnostics = std::vector<Diagnostic>;

[[nodiscard]] bool has_errors(const Diagnostics& diagnostics);

}  // namespace loadline
