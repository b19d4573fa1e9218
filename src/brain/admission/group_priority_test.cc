#include "brain/admission/group_priority.h"

#include <gtest/gtest.h>

#include <optional>

namespace loadline::admission {
namespace {

cluster::GroupRules rules_naming(std::string name, std::optional<std::int32_t> number = {}) {
  cluster::GroupRules rules;
  rules.priority_class = std::move(name);
  rules.priority = number;
  return rules;
}

TEST(GroupPriority, IsTheNumberOfTheClass) {
  kube::PriorityClass high;
  high.metadata.name = "high";
  high.value = 1000;
  high.global_default = true;
  const PriorityClasses classes({high});
  const auto priority_of = [&](cluster::GroupRules rules) {
    resolve_priority(classes, rules);
    return rules.priority;
  };
  EXPECT_EQ(priority_of(rules_naming("high")), 1000);
  EXPECT_EQ(priority_of(rules_naming("system-node-critical")), 2'000'001'000);
  EXPECT_EQ(priority_of(rules_naming("high", 7)), 7);
  EXPECT_EQ(priority_of(rules_naming("hihg")), std::nullopt);
  EXPECT_EQ(priority_of(rules_naming("")), std::nullopt);  // the default class is one of pods
}

}  // namespace
}  // namespace loadline::admission
