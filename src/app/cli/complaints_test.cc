#include "app/cli/complaints.h"

#include <gmock/gmock.h>
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

TEST(Complaints, CountWhatHappenedToManyObjectsAlike) {
  Diagnostics refusals;
  for (int i = 0; i < 20'000; ++i) {
    Diagnostic each = diagnostic(Severity::kError, "a.yaml", 1, "namespaces \"shop\" not found");
    each.subject = "Pod shop/web-" + std::to_string(i);
    refusals.push_back(each);
    each.message = "pods \"web-" + std::to_string(i) + "\" is forbidden";
    refusals.push_back(std::move(each));
  }
  refusals.push_back(diagnostic(Severity::kError, "b.yaml", 7, "something else"));
  const Diagnostics counted = with_repetitions_counted(refusals);
  ASSERT_EQ(counted.size(), 3U + 3U + 1U + 2U);
  EXPECT_EQ(counted[7].message, "and 19,997 more objects like this: namespaces \"shop\" not found");
  EXPECT_EQ(counted[8].message, "and 19,997 more objects like this: pods \"web-3\" is forbidden");
}

TEST(Skipped, KindsAreNamedOnceWithTheirSum) {
  EXPECT_EQ(
      skipped_text({{"v1", "Secret", 2, {}}, {"networking.k8s.io/v1", "Ingress", 1, {}}, {"v1", "Secret", 3, {}}}),
      "skipped, as plan does not read these kinds: 1 Ingress (networking.k8s.io/v1), 5 Secret (v1)");
  EXPECT_EQ(skipped_text({}), "");
}

TEST(Skipped, KindsWhoseEffectIsNotThereYetAreToldByIt) {
  const std::vector<kube::SkippedKind> skipped = {{"karpenter.sh/v1", "NodePool", 2, {}},
                                                  {"descheduler/v1alpha1", "DeschedulerPolicy", 1, {}},
                                                  {"karpenter.sh/v1alpha5", "Provisioner", 1, {}},
                                                  {"karpenter.sh/v1", "NodeClaim", 1, {}}};
  EXPECT_EQ(skipped_text(skipped), "skipped, as plan does not read these kinds: 1 NodeClaim (karpenter.sh/v1)");
  EXPECT_THAT(
      inert_texts(skipped),
      ::testing::ElementsAre("read, but no machine is bought yet, so pods that wait for one go on waiting: 2 "
                             "NodePool (karpenter.sh/v1), 1 Provisioner (karpenter.sh/v1alpha5)",
                             "read, but nothing is descheduled yet: 1 DeschedulerPolicy (descheduler/v1alpha1)"));
}

TEST(Complaints, TellOfPodsThatNobodyPlanned) {
  const std::vector<kube::SkippedKind> skipped = {
      {"v1", "Secret", 2, {}},
      {"a.com/v1", "Robot", 1, {}, 1, 3, "spec.template", false},
      {"argoproj.io/v1alpha1", "Workflow", 2, {}, 2, 0, "", false},
      {"b.com/v1", "Crane", 2, {}, 0, 1, "spec.crew.template", true},
  };
  EXPECT_EQ(skipped_text(skipped), "skipped, as plan does not read these kinds: 2 Secret (v1)");
  EXPECT_THAT(
      unplanned_texts(skipped),
      ::testing::ElementsAre(
          "not planned: 3 pods that 1 Robot (a.com/v1) seems to make, of spec.template; --guess-workloads plans "
          "them",
          "not planned: the pods of 2 Workflow (argoproj.io/v1alpha1), a kind that loadline does not run yet",
          "guessed: 1 pod of 2 Crane (b.com/v1), made of spec.crew.template"));
}

}  // namespace
}  // namespace loadline::cli
