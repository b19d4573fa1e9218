#include "foundation/base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace loadline {
namespace {

std::string position_text(const SourcePosition& at) {
  if (at.file == nullptr) return "";
  if (at.line == 0) return fmt::format("{}: ", *at.file);
  if (at.column == 0) return fmt::format("{}:{}: ", *at.file, at.line);
  return fmt::format("{}:{}:{}: ", *at.file, at.line, at.column);
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
  if (!subject.empty()) text += fmt::format("{}: ", subject);
  if (!path.empty()) text += fmt::format("{}: ", path);
  return text + message + hint_text(hint);
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::kError; });
}

}  // namespace loadline
