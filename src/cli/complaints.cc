#include "cli/complaints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "report/words.h"

namespace loadline::cli {
namespace {

std::string_view file_of(const Diagnostic& diagnostic) {
  return diagnostic.at.file == nullptr ? std::string_view{} : std::string_view{*diagnostic.at.file};
}

}  // namespace

Complaints sorted_complaints(Diagnostics diagnostics, Warnings wish) {
  if (wish == Warnings::kHidden) {
    std::erase_if(diagnostics, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::kError; });
  }
  std::ranges::stable_sort(diagnostics, {}, [](const Diagnostic& diagnostic) {
    return std::tuple(file_of(diagnostic), diagnostic.at.line, diagnostic.at.column);
  });
  Complaints complaints;
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string text = diagnostic.to_string();
    if (!complaints.lines.empty() && complaints.lines.back() == text) continue;
    complaints.lines.push_back(std::move(text));
    ++(diagnostic.severity == Severity::kError ? complaints.errors : complaints.warnings);
  }
  return complaints;
}

std::string complaint_count(const Complaints& complaints) {
  const std::string errors = report::counted(complaints.errors, "error");
  const std::string warnings = report::counted(complaints.warnings, "warning");
  if (complaints.warnings == 0) return errors;
  return complaints.errors == 0 ? warnings : errors + ", " + warnings;
}

std::string skipped_text(const std::vector<kube::SkippedKind>& skipped) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const kube::SkippedKind& kind : skipped) counts[{kind.kind, kind.api_version}] += kind.count;
  std::string text;
  for (const auto& [kind, count] : counts) {
    text += text.empty() ? "skipped, as plan does not read these kinds: " : ", ";
    text += fmt::format("{} {} ({})", count, kind.first, kind.second);
  }
  return text;
}

}  // namespace loadline::cli
