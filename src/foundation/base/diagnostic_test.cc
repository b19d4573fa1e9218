#include "foundation/base/diagnostic.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace loadline {
namespace {

SourcePosition position(std::uint32_t line, std::uint32_t column) {
  return {.file = std::make_shared<const std::string>("deploy.yaml"), .line = line, .column = column};
}

TEST(Diagnostic, SaysWhereWhatAndHowToMendIt) {
  const Diagnostic diagnostic{.severity = Severity::kError,
                              .at = position(12, 7),
                              .subject = "Deployment default/web",
                              .path = "spec.template.spec.nodeSelctor",
                              .message = "unknown field",
                              .hint = "did you mean \"nodeSelector\"?"};
  EXPECT_EQ(diagnostic.to_string(),
            "deploy.yaml:12:7: error: Deployment default/web: spec.template.spec.nodeSelctor: unknown field "
            "(did you mean \"nodeSelector\"?)");
}

TEST(Diagnostic, PutsAnExampleOfSeveralLinesBelowTheMessage) {
  const Diagnostic diagnostic{.severity = Severity::kError,
                              .at = {},
                              .subject = "",
                              .path = "",
                              .message = "expected an object",
                              .hint = "write\nterms:\n- key: a"};
  EXPECT_EQ(diagnostic.to_string(), "error: expected an object; write:\n    terms:\n    - key: a");
}

TEST(Diagnostic, LeavesOutWhatIsUnknown) {
  Diagnostic diagnostic{
      .severity = Severity::kWarning, .at = {}, .subject = "", .path = "", .message = "odd", .hint = ""};
  EXPECT_EQ(diagnostic.to_string(), "warning: odd");
  diagnostic.at = position(0, 0);
  EXPECT_EQ(diagnostic.to_string(), "deploy.yaml: warning: odd");
  diagnostic.at = position(3, 0);
  EXPECT_EQ(diagnostic.to_string(), "deploy.yaml:3: warning: odd");
  diagnostic.path = "spec";
  EXPECT_EQ(diagnostic.to_string(), "deploy.yaml:3: warning: spec: odd");
}

TEST(Diagnostic, WarningsAloneAreNoErrors) {
  Diagnostics diagnostics;
  EXPECT_FALSE(has_errors(diagnostics));
  diagnostics.push_back(
      {.severity = Severity::kWarning, .at = {}, .subject = "", .path = "", .message = "", .hint = ""});
  EXPECT_FALSE(has_errors(diagnostics));
  diagnostics.push_back({.severity = Severity::kError, .at = {}, .subject = "", .path = "", .message = "", .hint = ""});
  EXPECT_TRUE(has_errors(diagnostics));
}

}  // namespace
}  // namespace loadline
