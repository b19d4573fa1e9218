#include "base/diagnostic.h"

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

std::string_view severity_text(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

}  // namespace

std::string Diagnostic::to_string() const {
  std::string text = fmt::format("{}{}: ", position_text(at), severity_text(severity));
  if (!subject.empty()) text += fmt::format("{}: ", subject);
  if (!path.empty()) text += fmt::format("{}: ", path);
  text += message;
  if (!hint.empty()) text += fmt::format(" ({})", hint);
  return text;
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::kError; });
}

}  // namespace loadline
