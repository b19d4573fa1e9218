#include "objects/kube/condition.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {
namespace {

using document::Value;

Value read(std::string_view yaml) { return document::read_yaml(yaml, "test").documents.at(0); }

TEST(Condition, OfAListIsTheFirstOfItsType) {
  const std::vector<Condition> conditions = {
      {"PodScheduled", "True", "", ""}, {"Ready", "False", "ContainersNotReady", ""}, {"Ready", "True", "", ""}};
  EXPECT_EQ(find_condition(conditions, "Ready"), &conditions[1]);
  EXPECT_EQ(find_condition(conditions, "Initialized"), nullptr);
  EXPECT_TRUE(has_true_condition(conditions, "PodScheduled"));
  EXPECT_FALSE(has_true_condition(conditions, "Ready"));
}

TEST(Condition, OfADocumentLiesInItsStatus) {
  const Value pod = read("{status: {conditions: [{type: A, status: 'False'}, 7, {type: B, status: 'True'}]}}");
  EXPECT_EQ(document::text_at(*find_condition(pod, "A"), {"status"}), "False");
  EXPECT_EQ(find_condition(pod, "C"), nullptr);
  EXPECT_FALSE(has_true_condition(pod, "A"));
  EXPECT_TRUE(has_true_condition(pod, "B"));
}

TEST(Condition, OfADocumentMayLieElsewhere) {
  const Value component = read("{conditions: [{type: Healthy, status: 'True'}]}");
  EXPECT_EQ(find_condition(component, "Healthy"), nullptr);
  EXPECT_NE(find_condition(component, "Healthy", {"conditions"}), nullptr);
}

TEST(Condition, WhatIsNoListHasNone) {
  EXPECT_EQ(find_condition(read("{status: {conditions: 1}}"), "A"), nullptr);
  EXPECT_EQ(find_condition(Value(), "A"), nullptr);
}

}  // namespace
}  // namespace loadline::kube
