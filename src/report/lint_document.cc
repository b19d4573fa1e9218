#include "report/lint_document.h"

#include <algorithm>
#include <string>
#include <utility>

namespace loadline::report {
namespace {

using advice::lint::Asked;
using advice::lint::Finding;
using advice::lint::Needs;
using advice::lint::Rule;
using document::Array;
using document::Object;
using document::Value;

void add(Object& object, const char* key, Value value) { object.push_back({key, std::move(value), {}}); }

void add_text(Object& object, const char* key, std::string_view text) {
  if (!text.empty()) add(object, key, Value(text));
}

Value count_of(const std::vector<Finding>& findings, Severity severity) {
  return Value(static_cast<std::int64_t>(
      std::ranges::count_if(findings, [&](const Finding& each) { return each.what.severity == severity; })));
}

Value finding_value(const Finding& finding) {
  Object object;
  const Diagnostic& what = finding.what;
  add_text(object, "rule", finding.rule);
  add_text(object, "severity", severity_word(what.severity));
  if (what.at.file != nullptr) add_text(object, "file", *what.at.file);
  if (what.at.line != 0) {
    add(object, "line", Value(std::int64_t{what.at.line}));
    add(object, "column", Value(std::int64_t{what.at.column}));
  }
  add_text(object, "object", what.subject);
  add_text(object, "path", what.path);
  add_text(object, "message", what.message);
  add_text(object, "hint", what.hint);
  return Value(std::move(object));
}

Value document_of(const char* kind, const char* key, Value summary, Array entries) {
  Object object;
  add_text(object, "apiVersion", "loadline/v1alpha1");
  add_text(object, "kind", kind);
  if (!summary.is_null()) add(object, "summary", std::move(summary));
  add(object, key, Value(std::move(entries)));
  return Value(std::move(object));
}

}  // namespace

Value lint_document(const std::vector<Finding>& findings, std::size_t rules_left_out) {
  Object summary;
  add(summary, "errors", count_of(findings, Severity::kError));
  add(summary, "warnings", count_of(findings, Severity::kWarning));
  add(summary, "advice", count_of(findings, Severity::kAdvice));
  add(summary, "rulesLeftOut", Value(static_cast<std::int64_t>(rules_left_out)));
  Array entries;
  for (const Finding& finding : findings) entries.push_back(finding_value(finding));
  return document_of("LintReport", "findings", Value(std::move(summary)), std::move(entries));
}

Value rules_document(std::span<const Rule> rules) {
  Array entries;
  for (const Rule& rule : rules) {
    Object object;
    add_text(object, "name", rule.name);
    add_text(object, "severity", severity_word(rule.severity));
    add_text(object, "finds", rule.finds);
    add_text(object, "why", rule.why);
    add(object, "needsNodes", Value(rule.needs == Needs::kNodes));
    add(object, "onlyByName", Value(rule.asked == Asked::kByName));
    entries.emplace_back(std::move(object));
  }
  return document_of("LintRules", "rules", Value(), std::move(entries));
}

}  // namespace loadline::report
