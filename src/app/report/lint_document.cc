#include "app/report/lint_document.h"

#include <algorithm>
#include <string>
#include <utility>

#include "app/report/members.h"

namespace loadline::report {
namespace {

using advice::lint::Asked;
using advice::lint::Finding;
using advice::lint::Needs;
using advice::lint::Rule;
using document::Array;
using document::Value;

Value count_of(const std::vector<Finding>& findings, Severity severity) {
  return Value(static_cast<std::int64_t>(
      std::ranges::count_if(findings, [&](const Finding& each) { return each.what.severity == severity; })));
}

Value finding_value(const Finding& finding) {
  Members object;
  const Diagnostic& what = finding.what;
  object.add_text("rule", finding.rule);
  object.add_text("severity", severity_word(what.severity));
  if (what.at.file != nullptr) object.add_text("file", *what.at.file);
  if (what.at.line != 0) {
    object.add("line", Value(std::int64_t{what.at.line}));
    object.add("column", Value(std::int64_t{what.at.column}));
  }
  object.add_text("object", what.subject);
  object.add_text("path", what.path);
  object.add_text("message", what.message);
  object.add_text("hint", what.hint);
  return object.finish();
}

Value document_of(const char* kind, const char* key, Value summary, Array entries) {
  Members object;
  object.add_text("apiVersion", "loadline/v1alpha1");
  object.add_text("kind", kind);
  if (!summary.is_null()) object.add("summary", std::move(summary));
  object.add(key, Value(std::move(entries)));
  return object.finish();
}

}  // namespace

Value lint_document(const std::vector<Finding>& findings, std::size_t rules_left_out) {
  Members summary;
  summary.add("errors", count_of(findings, Severity::kError));
  summary.add("warnings", count_of(findings, Severity::kWarning));
  summary.add("advice", count_of(findings, Severity::kAdvice));
  summary.add("rulesLeftOut", Value(static_cast<std::int64_t>(rules_left_out)));
  Array entries;
  for (const Finding& finding : findings) entries.push_back(finding_value(finding));
  return document_of("LintReport", "findings", summary.finish(), std::move(entries));
}

Value rules_document(std::span<const Rule> rules) {
  Array entries;
  for (const Rule& rule : rules) {
    Members object;
    object.add_text("name", rule.name);
    object.add_text("severity", severity_word(rule.severity));
    object.add_text("finds", rule.finds);
    object.add_text("why", rule.why);
    object.add("needsNodes", Value(rule.needs == Needs::kNodes));
    object.add("onlyByName", Value(rule.asked == Asked::kByName));
    entries.push_back(object.finish());
  }
  return document_of("LintRules", "rules", Value(), std::move(entries));
}

}  // namespace loadline::report
