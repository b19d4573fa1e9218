#include "cli/complaints.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

Diagnostic diagnostic(Severity severity, const char* file, std::uint32_t line, const char* message) {
  Diagnostic result;
  result.severity = severity;
  result.at = {std::make_shared<const std::string>(file), line, 1};
  result.message = message;
  return result;
}

TEST(Complaints, AreSortedByPlaceAndSaidOnce) {
  const Complaints complaints = sorted_complaints(
      {diagnostic(Severity::kError, "b.yaml", 2, "second"), diagnostic(Severity::kError, "a.yaml", 10, "x"),
       diagnostic(Severity::kWarning, "a.yaml", 9, "w"), diagnostic(Severity::kError, "b.yaml", 2, "second")},
      Warnings::kShown);
  EXPECT_EQ(complaints.lines,
            (std::vector<std::string>{"a.yaml:9:1: warning: w", "a.yaml:10:1: error: x", "b.yaml:2:1: error: second"}));
  EXPECT_EQ(complaint_count(complaints), "2 errors, 1 warning");
}

TEST(Complaints, CanBeErrorsOnly) {
  const Complaints complaints = sorted_complaints(
      {diagnostic(Severity::kWarning, "a", 1, "w"), diagnostic(Severity::kError, "a", 2, "e")}, Warnings::kHidden);
  EXPECT_EQ(complaints.lines.size(), 1U);
  EXPECT_EQ(complaint_count(complaints), "1 error");
}

TEST(Skipped, KindsAreNamedOnceWithTheirSum) {
  EXPECT_EQ(
      skipped_text({{"v1", "Secret", 2, {}}, {"networking.k8s.io/v1", "Ingress", 1, {}}, {"v1", "Secret", 3, {}}}),
      "skipped, as plan does not read these kinds: 1 Ingress (networking.k8s.io/v1), 5 Secret (v1)");
  EXPECT_EQ(skipped_text({}), "");
}

}  // namespace
}  // namespace loadline::cli
