#include "foundation/base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace loadline {
namespace {

/// On one line: a name with a newline in it must not look like a line of its own.
std::string on_one_line(std::string_view name) {
  std::string line;
  for (const char letter : name) {
    if (letter == '\n') {
      line += "\\n";
    } else {
      line += letter;
    }
  }
  return line;
}

std::string position_text(const SourcePosition& at) {
  if (at.file == nullptr) return "";
  const std::string file = on_one_line(*at.file);
  if (at.line == 0) return fmt::format("{}: ", file);
  if (at.column == 0) return fmt::format("{}:{}: ", file, at.line);
  return fmt::format("{}:{}:{}: ", file, at.line, at.column);
}

/// A short hint stands in parentheses; one of several lines is an example to copy, below the message.
std::string hint_text(std::string_view hint) {
  if (hint.empty()) return "";
  std::size_t end = hint.find('\n');
  if (end == std::string_view::npos) return fmt::format(" ({})", hint);
  std::string text = fmt::format("; {}:", hint.substr(0, end));
  while (end != std::string_view::npos) {
    hint.remove_prefix(end + 1);
    end = hint.find('\n');
    text += fmt::format("\n    {}", hint.substr(0, end));
  }
  return text;
}

}  // namespace

std::string_view severity_word(Severity severity) {
  switch (severity) {
    case Severity::kAdvice:
      return "advice";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

std::string Diagnostic::to_string() const {
  std::string text = fmt::format("{}{}: ", position_text(at), severity_word(severity));
  if (!subject.empty()) text += fmt::format("{}: ", on_one_line(subject));
  if (!path.empty()) text += fmt::format("{}: ", on_one_line(path));
  return text + message + hint_text(hint);
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::kError; });
}

}  // namespace loadline
