#include "brain/admission/default_tolerations.h"

#include <gtest/gtest.h>

namespace loadline::admission {
namespace {

using kube::TaintEffect;
using kube::TolerationOperator;

TEST(DefaultTolerations, LetAPodStayFiveMinutesOnANodeThatIsGone) {
  kube::PodSpec spec;
  add_default_tolerations(spec.tolerations);
  const std::vector<kube::Toleration> expected = {
      {"node.kubernetes.io/not-ready", TolerationOperator::kExists, "", TaintEffect::kNoExecute, 300},
      {"node.kubernetes.io/unreachable", TolerationOperator::kExists, "", TaintEffect::kNoExecute, 300}};
  EXPECT_EQ(spec.tolerations, expected);
  add_default_tolerations(spec.tolerations);
  EXPECT_EQ(spec.tolerations.size(), 2U);
}

TEST(DefaultTolerations, LeaveAPodAloneThatSpeaksOfTheTaint) {
  struct Case {
    kube::Toleration own;
    std::size_t expected;
  };
  const std::vector<Case> cases = {
      {{"", TolerationOperator::kExists, "", TaintEffect::kNone, {}}, 1},
      {{"", TolerationOperator::kExists, "", TaintEffect::kNoExecute, {}}, 1},
      {{"", TolerationOperator::kExists, "", TaintEffect::kNoSchedule, {}}, 3},
      {{"node.kubernetes.io/not-ready", TolerationOperator::kExists, "", TaintEffect::kNoExecute, 10}, 2},
      {{"node.kubernetes.io/not-ready", TolerationOperator::kExists, "", TaintEffect::kNoSchedule, {}}, 3},
  };
  for (const Case& item : cases) {
    kube::PodSpec spec;
    spec.tolerations = {item.own};
    add_default_tolerations(spec.tolerations);
    EXPECT_EQ(spec.tolerations.size(), item.expected);
  }
}

}  // namespace
}  // namespace loadline::admission
