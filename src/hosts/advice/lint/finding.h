#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/source_index.h"

namespace loadline::advice::lint {

/// One thing that a rule found. `what` has the place, the object, the field, the sentence and what to write instead.
struct Finding {
  std::string_view rule;  ///< of static storage; empty: a check of the input that `plan` makes too
  Diagnostic what;

  /// `file:line:column: advice: Deployment default/web: spec.x: message (hint) [rule]`.
  [[nodiscard]] std::string to_string() const;
};

/// Collects what rules find, and points each finding at its field.
class Findings {
 public:
  explicit Findings(const kube::SourceIndex& sources) : sources_(sources) {}

  /// Where the field at `path` of the object stands.
  [[nodiscard]] SourcePosition locate(const SourcePosition& object, std::string_view path) const {
    return sources_.locate(object, path);
  }

  /// What is added from now on was found by this rule. `name` has static storage.
  void begin(std::string_view name, Severity severity);

  /// `subject` names the object, "Deployment default/web"; `object` is where it begins; `path` leads to the field.
  void add(std::string subject, const SourcePosition& object, std::string path, std::string message,
           std::string hint = {});

  /// By file, line and column, each once.
  [[nodiscard]] std::vector<Finding> sorted() &&;

 private:
  const kube::SourceIndex& sources_;
  std::string_view rule_;
  Severity severity_ = Severity::kAdvice;
  std::vector<Finding> findings_;
};

}  // namespace loadline::advice::lint
