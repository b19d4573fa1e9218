#include "brain/admission/priority.h"

#include <gtest/gtest.h>

namespace loadline::admission {
namespace {

using kube::PreemptionPolicy;

kube::PriorityClass priority_class(std::string name, std::int32_t value, bool global_default = false,
                                   PreemptionPolicy policy = PreemptionPolicy::kPreemptLowerPriority) {
  kube::PriorityClass result;
  result.metadata.name = std::move(name);
  result.value = value;
  result.global_default = global_default;
  result.preemption_policy = policy;
  return result;
}

kube::PodSpec naming(std::string name) {
  kube::PodSpec spec;
  spec.priority_class_name = std::move(name);
  return spec;
}

TEST(Priority, ComesFromTheNamedClass) {
  const PriorityClasses classes({priority_class("high", 1000, false, PreemptionPolicy::kNever)});
  kube::PodSpec spec = naming("high");
  EXPECT_FALSE(classes.resolve(spec));
  EXPECT_EQ(spec.priority, 1000);
  EXPECT_EQ(spec.preemption_policy, PreemptionPolicy::kNever);
}

TEST(Priority, OfSystemClassesIsBuiltIn) {
  const PriorityClasses classes({});
  kube::PodSpec cluster = naming("system-cluster-critical");
  kube::PodSpec node = naming("system-node-critical");
  EXPECT_FALSE(classes.resolve(cluster));
  EXPECT_FALSE(classes.resolve(node));
  EXPECT_EQ(cluster.priority, 2000000000);
  EXPECT_EQ(node.priority, 2000001000);
}

TEST(Priority, WithoutAClassIsZeroOrTheLowestGlobalDefault) {
  kube::PodSpec plain;
  EXPECT_FALSE(PriorityClasses({priority_class("high", 1000)}).resolve(plain));
  EXPECT_EQ(plain.priority, 0);
  EXPECT_EQ(plain.priority_class_name, "");
  EXPECT_EQ(plain.preemption_policy, PreemptionPolicy::kPreemptLowerPriority);

  kube::PodSpec defaulted;
  const PriorityClasses two({priority_class("b", 20, true), priority_class("a", 10, true)});
  EXPECT_FALSE(two.resolve(defaulted));
  EXPECT_EQ(defaulted.priority, 10);
  EXPECT_EQ(defaulted.priority_class_name, "a");
}

TEST(Priority, OfAnUnknownClassIsRefused) {
  kube::PodSpec spec = naming("nope");
  const auto rejection = PriorityClasses({}).resolve(spec);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->details, std::vector<std::string>{"no PriorityClass with name nope was found"});
  EXPECT_FALSE(spec.priority);
}

TEST(Priority, GivenAsANumberMustAgreeWithTheClass) {
  const PriorityClasses classes({priority_class("high", 1000)});
  kube::PodSpec same = naming("high");
  same.priority = 1000;
  EXPECT_FALSE(classes.resolve(same));
  kube::PodSpec other = naming("high");
  other.priority = 7;
  const auto rejection = classes.resolve(other);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->details.front(),
            "the integer value of priority (7) must not be provided in pod spec; priority admission controller "
            "computed 1000 from the given PriorityClass name");
}

TEST(Priority, PreemptionPolicyMustAgreeWithTheClass) {
  kube::PodSpec spec = naming("high");
  spec.preemption_policy = PreemptionPolicy::kNever;
  const auto rejection = PriorityClasses({priority_class("high", 1000)}).resolve(spec);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->details.front(),
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission "
            "controller computed PreemptLowerPriority from the given PriorityClass name");
}

}  // namespace
}  // namespace loadline::admission
