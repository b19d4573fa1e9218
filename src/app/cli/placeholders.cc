#include "app/cli/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/unrendered.h"

namespace loadline::cli {
namespace {

constexpr std::size_t kMostNamed = 5;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view up_to(std::string_view text, std::string_view close) {
  const std::size_t end = text.find(close);
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + close.size());
}

/// `$NAME`: capitals, so that a price or the end of a regular expression is none.
std::string_view variable(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && is_word(text[end])) ++end;
  const bool is_name = end > 2 && std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(end),
                                              [](char c) { return std::islower(static_cast<unsigned char>(c)) == 0; });
  return is_name && std::isdigit(static_cast<unsigned char>(text[1])) == 0 ? text.substr(0, end) : std::string_view{};
}

/// `<your name>`.
std::string_view blank_to_fill(std::string_view text) {
  const std::string_view whole = up_to(text, ">");
  const bool is_name = whole.size() > 2 && std::all_of(whole.begin() + 1, whole.end() - 1, [](char c) {
                         return is_word(c) || c == '-' || c == ' ' || c == '.';
                       });
  return is_name ? whole : std::string_view{};
}

std::string_view placeholder_at(std::string_view text) {
  if (text.starts_with("{{")) return up_to(text, "}}");
  if (text.starts_with("${")) return up_to(text, "}");
  if (text.starts_with("$(")) return up_to(text, ")");
  if (text.starts_with('$')) return variable(text);
  return text.starts_with('<') ? blank_to_fill(text) : std::string_view{};
}

/// Where the quote that begins there ends.
std::size_t end_of_quote(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i;
    }
  }
  return text.size();
}

/// The placeholder in a value that a message quotes. What stands outside of quotes are our words; what the file holds
/// that says not what it is, is another matter.
std::string_view placeholder_of(const Diagnostic& diagnostic) {
  const std::string_view message = diagnostic.message;
  if (diagnostic.severity != Severity::kError || diagnostic.at.file == nullptr || message.starts_with("Object '")) {
    return {};
  }
  for (std::size_t begin = message.find('"'); begin != std::string_view::npos;) {
    const std::size_t end = end_of_quote(message, begin);
    const std::string_view found = find_placeholder(message.substr(begin + 1, end - begin - 1));
    if (!found.empty() || end == message.size()) return found;
    begin = message.find('"', end + 1);
  }
  return {};
}

bool is_action(std::string_view placeholder) { return placeholder.starts_with("{{"); }

/// What is left to fill in in one file.
struct Blanks {
  std::vector<std::string> names;
  SourcePosition first;

  void add(std::string_view name, const SourcePosition& at) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    const bool is_earlier = std::pair(at.line, at.column) < std::pair(first.line, first.column);
    if (first.file == nullptr || is_earlier) first = at;
  }
};

Diagnostic blanks_problem(const Blanks& blanks, std::string_view pipe_into) {
  const auto action = std::ranges::find_if(blanks.names, is_action);
  if (action != blanks.names.end()) return template_problem(blanks.first, *action, pipe_into);
  Diagnostic problem;
  problem.at = blanks.first;
  problem.message =
      fmt::format("{} still to be filled in: {}", blanks.names.size() == 1 ? "a placeholder is" : "placeholders are",
                  some_of(blanks.names, kMostNamed));
  const bool is_for_shell = std::ranges::all_of(blanks.names, [](const std::string& name) { return name[0] == '$'; });
  problem.hint = is_for_shell ? fmt::format("with their values in the environment: envsubst < {} | {}",
                                            *blanks.first.file, pipe_into)
                              : "write what they stand for";
  return problem;
}

}  // namespace

std::string_view find_placeholder(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::string_view found = placeholder_at(text.substr(i)); !found.empty()) return found;
  }
  return {};
}

Diagnostic template_problem(SourcePosition at, std::string_view action, std::string_view pipe_into) {
  Diagnostic problem;
  const auto chart = document::enclosing_chart(*at.file);
  problem.message = fmt::format("is a template, not a manifest: {}", action);
  problem.hint = chart.empty() ? fmt::format("render it first, a chart with helm template NAME CHART | {}", pipe_into)
                               : document::render_command(document::Renderer::kHelm, chart, pipe_into);
  problem.at = std::move(at);
  return problem;
}

Diagnostics with_placeholders_told_once(Diagnostics diagnostics, std::string_view pipe_into) {
  std::map<std::string, Blanks> files;
  for (const Diagnostic& each : diagnostics) {
    const std::string_view name = placeholder_of(each);
    if (!name.empty()) files[*each.at.file].add(name, each.at);
  }
  if (files.empty()) return diagnostics;
  std::erase_if(diagnostics, [&](const Diagnostic& each) {
    if (each.at.file == nullptr) return false;
    const auto blanks = files.find(*each.at.file);
    if (blanks == files.end()) return false;
    return !placeholder_of(each).empty() || std::ranges::any_of(blanks->second.names, is_action);
  });
  for (const auto& [file, blanks] : files) diagnostics.push_back(blanks_problem(blanks, pipe_into));
  return diagnostics;
}

}  // namespace loadline::cli
