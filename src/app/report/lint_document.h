#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/rule.h"

namespace loadline::report {

/// What lint found as a document: what its `-o json` and `-o yaml` write. The schema is stable within its apiVersion:
/// members may be added, never renamed or removed. Empty texts are left out.
///
///     apiVersion: loadline/v1alpha1
///     kind: LintReport
///     summary: {errors, warnings, advice, rulesLeftOut: rules that need nodes, if the input has none}
///     findings: [{rule, severity, file, line, column, object, path, message, hint}]
///
/// `severity` is error, warning or advice; `rule` is absent for a check that `loadline plan` makes too.
document::Value lint_document(const std::vector<advice::lint::Finding>& findings, std::size_t rules_left_out);

/// The rules as a document: {apiVersion, kind: LintRules, rules: [{name, severity, finds, why, needsNodes,
/// onlyByName}]}.
document::Value rules_document(std::span<const advice::lint::Rule> rules);

}  // namespace loadline::report
