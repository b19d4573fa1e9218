#pragma once

#include <cstdint>
#include <string_view>

#include "foundation/base/diagnostic.h"
#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// What a rule needs of the input to have an opinion.
enum class Needs : std::uint8_t { kNothing, kNodes };

/// When a rule is asked.
enum class Asked : std::uint8_t { kAlways, kByName };

/// One piece of advice that lint can give. A rule is a function of the input: the same input, the same findings.
/// It speaks only of what it can prove from the input, and only of objects that are judged.
struct Rule {
  std::string_view name;  ///< kebab case
  Severity severity = Severity::kAdvice;
  Needs needs = Needs::kNothing;
  Asked asked = Asked::kAlways;
  std::string_view finds;  ///< what it finds, a phrase
  std::string_view why;    ///< why that matters, a sentence
  void (*check)(const LintInput&, Findings&) = nullptr;
};

}  // namespace loadline::advice::lint
